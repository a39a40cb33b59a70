package analytics

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/internal/byround"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Sum implements the role Aggregator for counts: their sums. Counts that are negative, of another shape than the
// first of the execution, or larger than Most together are refused by name.
type Sum struct {
	Most int32 // what the counts of one peer may add up to; 0: any number

	sums byround.Values[tensor.Dense[int32]]
}

// Open checks the configuration.
func (s *Sum) Open(runtime.Env) error {
	if s.Most < 0 {
		return fmt.Errorf("analytics.Sum: Most is %d, want 0 or more", s.Most)
	}
	return nil
}

// Enter sets the execution to which the following calls belong.
func (s *Sum) Enter(r runtime.Round) { s.sums.Enter(r) }

// Leave forgets the counts of an execution.
func (s *Sum) Leave(r runtime.Round) { s.sums.Leave(r) }

// Contribute adds the counts of a peer, or none of them.
func (s *Sum) Contribute(_ wire.PeerID, x tensor.Dense[int32], _ float32) error {
	if err := s.check(x.Data); err != nil {
		return err
	}
	sum := s.sums.First()
	if sum == nil {
		first := x.Clone()
		s.sums.Add(&first)
		return nil
	}
	if !slices.Equal(sum.Shape, x.Shape) {
		return fmt.Errorf("the counts have shape %v, want %v", x.Shape, sum.Shape)
	}
	for k, v := range x.Data {
		if sum.Data[k] > math.MaxInt32-v {
			return fmt.Errorf("count %d: all counts together are more than %d", k, math.MaxInt32)
		}
	}
	for k, v := range x.Data {
		sum.Data[k] += v
	}
	return nil
}

// check checks the counts of one peer.
func (s *Sum) check(x []int32) error {
	total := int64(0)
	for i, v := range x {
		if v < 0 {
			return fmt.Errorf("count %d is %d, want 0 or more", i, v)
		}
		total += int64(v)
	}
	if s.Most > 0 && total > int64(s.Most) {
		return fmt.Errorf("the counts add up to %d, want at most %d", total, s.Most)
	}
	return nil
}

// Aggregate returns the sums, and forgets the counts.
func (s *Sum) Aggregate() (tensor.Dense[int32], error) {
	sums := s.sums.Take()
	if len(sums) == 0 {
		return tensor.Dense[int32]{}, errors.New("no peer has contributed")
	}
	return *sums[0], nil
}

// AppendBinary appends the sums so far.
func (s *Sum) AppendBinary(b []byte) ([]byte, error) {
	return s.sums.Append(b, func(b []byte, sum *tensor.Dense[int32]) []byte { return values.AppendDense(b, *sum) }), nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (s *Sum) UnmarshalBinary(b []byte) error {
	var read byround.Values[tensor.Dense[int32]]
	f := values.NewFields(b)
	err := read.Read(f, func(f *values.Fields, sum *tensor.Dense[int32]) error {
		values.ReadDense(f, sum)
		return nil
	})
	if err := cmp.Or(err, f.End()); err != nil {
		return err
	}
	s.sums.Replace(read)
	return nil
}
