package analytics

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Sum implements the role Aggregator for counts: their sums. Counts that are negative, of another shape than the
// first of the execution, or larger than Most together are refused by name.
type Sum struct {
	Most int32 // what the counts of one peer may add up to; 0: any number

	in     runtime.Round
	rounds []*round
}

// round is the sum of counts in one execution.
type round struct {
	of  runtime.Round
	sum tensor.Dense[int32]
}

// Open checks the configuration.
func (s *Sum) Open(runtime.Env) error {
	if s.Most < 0 {
		return fmt.Errorf("analytics.Sum: Most is %d, want 0 or more", s.Most)
	}
	return nil
}

// Enter sets the execution to which the following calls belong.
func (s *Sum) Enter(r runtime.Round) { s.in = r }

// Leave forgets the counts of an execution.
func (s *Sum) Leave(r runtime.Round) {
	s.rounds = slices.DeleteFunc(s.rounds, func(x *round) bool { return x.of == r })
}

// Contribute adds the counts of a peer, or none of them.
func (s *Sum) Contribute(_ wire.PeerID, x tensor.Dense[int32], _ float32) error {
	if err := s.check(x.Data); err != nil {
		return err
	}
	i := slices.IndexFunc(s.rounds, func(r *round) bool { return r.of == s.in })
	if i < 0 {
		s.rounds = append(s.rounds, &round{s.in, x.Clone()})
		return nil
	}
	sum := s.rounds[i].sum
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
	defer s.Leave(s.in)
	for _, r := range s.rounds {
		if r.of == s.in {
			return r.sum, nil
		}
	}
	return tensor.Dense[int32]{}, errors.New("no peer has contributed")
}

// AppendBinary appends the sums so far.
func (s *Sum) AppendBinary(b []byte) ([]byte, error) {
	b = runtime.AppendScalar(b, int64(len(s.rounds)))
	for _, r := range s.rounds {
		b, _ = r.of.AppendBinary(b)
		b = runtime.AppendDense(b, r.sum)
	}
	return b, nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (s *Sum) UnmarshalBinary(b []byte) error {
	var n int64
	var read []*round
	f := runtime.NewFields(b)
	runtime.ReadScalar(f, &n)
	for range min(n, int64(len(b))) {
		r := &round{}
		runtime.ReadRound(f, &r.of)
		runtime.ReadDense(f, &r.sum)
		read = append(read, r)
	}
	if err := f.End(); err != nil {
		return err
	}
	s.rounds = read
	return nil
}
