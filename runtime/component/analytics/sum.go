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

// Sum implements the role Aggregator for counts: their sums. Counts that are negative, larger than Most together, or of
// another shape than Shape are refused by name.
type Sum struct {
	// Most is what the counts of one peer may add up to; 0: any number. Without it, the counts of one peer may leave
	// no room for those of others.
	Most int32

	// Shape is that of the counts of a peer. A [Histogram] has Bins+2. Without it, the result is the sum of the
	// counts of the most frequent shape, and others are not in it. So the sums of a [Voter], whose shape differs
	// from round to round, are those of the majority.
	Shape []int

	sums byround.Values[shaped] // one for each shape
}

// shaped is the sum of counts of one shape in an execution.
type shaped struct {
	count int64 // of the peers
	x     tensor.Dense[int32]
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
	if s.Shape != nil && !slices.Equal(x.Shape, s.Shape) {
		return fmt.Errorf("the counts have shape %v, want %v", x.Shape, s.Shape)
	}
	if err := s.check(x.Data); err != nil {
		return err
	}
	for y := range s.sums.All() {
		if slices.Equal(y.x.Shape, x.Shape) {
			return y.add(x.Data)
		}
	}
	s.sums.Add(&shaped{1, x.Clone()})
	return nil
}

// add adds the counts of a peer, or none of them.
func (s *shaped) add(x []int32) error {
	for k, v := range x {
		if s.x.Data[k] > math.MaxInt32-v {
			return fmt.Errorf("count %d: all counts together are more than %d", k, math.MaxInt32)
		}
	}
	for k, v := range x {
		s.x.Data[k] += v
	}
	s.count++
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

// Aggregate returns the sums of the most frequent shape, the first of several, and forgets the counts.
func (s *Sum) Aggregate() (tensor.Dense[int32], error) {
	var most shaped
	for _, y := range s.sums.Take() {
		if y.count > most.count {
			most = *y
		}
	}
	if most.count == 0 {
		return tensor.Dense[int32]{}, errors.New("no peer has contributed")
	}
	return most.x, nil
}

// counted begins a state with the numbers of peers. Older ones lack them, and begin with the number of sums.
const counted = int64(-1)

// AppendBinary appends the sums so far.
func (s *Sum) AppendBinary(b []byte) ([]byte, error) {
	return s.sums.Append(values.AppendScalar(b, counted), func(b []byte, y *shaped) []byte {
		return values.AppendDense(values.AppendScalar(b, y.count), y.x)
	}), nil
}

// UnmarshalBinary reads the output of AppendBinary, of this version or of an older one.
func (s *Sum) UnmarshalBinary(b []byte) error {
	var begin int64
	f := values.NewFields(b)
	values.ReadScalar(f, &begin)
	if begin != counted {
		f = values.NewFields(b)
	}
	var read byround.Values[shaped]
	err := read.Read(f, func(f *values.Fields, y *shaped) error {
		y.count = 1
		if begin == counted {
			values.ReadScalar(f, &y.count)
		}
		values.ReadDense(f, &y.x)
		if y.count < 1 {
			return fmt.Errorf("sums of %d peers", y.count)
		}
		return nil
	})
	if err := cmp.Or(err, f.End()); err != nil {
		return err
	}
	s.sums.Replace(read)
	return nil
}
