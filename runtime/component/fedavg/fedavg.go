// Package fedavg averages what clients have trained: federated averaging, of H. B.
// McMahan and others, "Communication-Efficient Learning of Deep Networks from
// Decentralized Data", 2017.
package fedavg

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Average is the role Aggregator: the mean of the contributions, each by its
// weight. Sums are in float64 and in the order in which contributions come, so
// that the same contributions in the same order give the same bits. Those of one
// execution are averaged, whatever others do: see [runtime.Gatherer].
type Average struct {
	MaxNorm float64 // contributions that are longer are scaled down to it; 0: none is

	rounds []*round       // those that have contributions
	in     runtime.Round  // the one that the next call is of
	spare  *round         // one that is over, for the next
	mean   *tensor.Memory // of the last mean
}

// Enter says which execution the calls that follow are of.
func (a *Average) Enter(r runtime.Round) { a.in = r }

// Leave forgets the contributions of an execution.
func (a *Average) Leave(r runtime.Round) {
	if i := a.at(r); i >= 0 {
		a.rounds[i].forget()
		a.spare = a.rounds[i]
		a.rounds = slices.Delete(a.rounds, i, i+1)
	}
}

// at is where the contributions of an execution are, -1 if there are none.
func (a *Average) at(r runtime.Round) int {
	return slices.IndexFunc(a.rounds, func(x *round) bool { return x.of == r })
}

// round returns the contributions of the execution that calls.
func (a *Average) round() *round {
	if i := a.at(a.in); i >= 0 {
		return a.rounds[i]
	}
	r := a.spare
	if a.spare = nil; r == nil {
		r = &round{}
	}
	r.of = a.in
	a.rounds = append(a.rounds, r)
	return r
}

// Contribute adds what a peer sent, which it reads twice. What is not finite, or
// has another shape than the contributions before, is refused, and changes nothing.
func (a *Average) Contribute(from wire.PeerID, x *runtime.Large[float32], weight float32) error {
	w := float64(weight)
	if !(w > 0) || math.IsInf(w, 0) {
		return fmt.Errorf("the weight is %v, want a number above 0", weight)
	}
	r := a.round()
	if r.count > 0 && !slices.Equal(x.Shape(), r.shape) {
		return fmt.Errorf("the shape is %v, want %v as those before", x.Shape(), r.shape)
	}
	scale, err := a.scale(x)
	if err != nil {
		return err
	}
	if r.count == 0 {
		r.shape = append(r.shape[:0], x.Shape()...)
		r.weight = 0
	}
	if err := r.take(x, w*scale); err != nil {
		return err
	}
	r.weight += w
	r.count++
	return nil
}

// scale is what a contribution is multiplied by so that it is not too long. All
// elements must be finite.
func (a *Average) scale(x *runtime.Large[float32]) (float64, error) {
	square, at := 0.0, 0
	for part, err := range x.Parts() {
		if err != nil {
			return 0, err
		}
		if !cpu.AllFinite(part) {
			return 0, notFinite(part, at)
		}
		for i := 0; i < len(part) && a.MaxNorm > 0; i++ {
			square += float64(float64(part[i]) * float64(part[i]))
		}
		at += len(part)
	}
	if norm := math.Sqrt(square); a.MaxNorm > 0 && norm > a.MaxNorm {
		return a.MaxNorm / norm, nil
	}
	return 1, nil
}

// notFinite says where a contribution is not finite, of which x are the elements
// from at on.
func notFinite(x []float32, at int) error {
	for i, v := range x {
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("element %d is %v", at+i, v)
		}
	}
	panic("BUG: all elements are finite")
}

// Aggregate is the mean of the contributions since the last call. It is not changed
// before the next call, nor as long as anybody has a share in its memory. That of a
// large model has the memory of the sum, which is not used again.
func (a *Average) Aggregate() (tensor.Dense[float32], error) {
	mean, _, err := a.aggregate()
	return mean, err
}

// AggregateWeighted is Aggregate, and the sum of the weights.
func (a *Average) AggregateWeighted() (tensor.Dense[float32], float32, error) {
	mean, weight, err := a.aggregate()
	return mean, float32(weight), err
}

func (a *Average) aggregate() (mean tensor.Dense[float32], weight float64, err error) {
	r := a.round()
	defer a.Leave(r.of)
	switch {
	case r.broken != nil:
		return mean, 0, r.broken
	case r.count == 0:
		return mean, 0, errors.New("nobody has contributed")
	}
	a.mean.Release()
	mean = r.divided()
	a.mean = mean.Memory()
	return mean, r.weight, nil
}

// AppendBinary appends the contributions so far.
func (a *Average) AppendBinary(b []byte) ([]byte, error) {
	b = runtime.AppendScalar(b, int64(len(a.rounds)))
	for _, r := range a.rounds {
		r.settle()
		b, _ = r.of.AppendBinary(b)
		b = runtime.AppendScalar(b, int64(r.count))
		if r.count > 0 {
			b = runtime.AppendScalar(b, r.weight)
			b = runtime.AppendDense(b, tensor.DenseOf(r.sum, r.shape...))
		}
	}
	return b, nil
}

// UnmarshalBinary sets what AppendBinary has written.
func (a *Average) UnmarshalBinary(b []byte) error {
	var rounds int64
	f := runtime.NewFields(b)
	runtime.ReadScalar(f, &rounds)
	for len(a.rounds) > 0 {
		a.Leave(a.rounds[0].of)
	}
	for range min(rounds, int64(len(b))) {
		r := &round{}
		if err := r.read(f); err != nil {
			return err
		}
		a.rounds = append(a.rounds, r)
	}
	return f.End()
}
