// Package fedavg averages what clients have trained: federated averaging, of H. B.
// McMahan and others, "Communication-Efficient Learning of Deep Networks from
// Decentralized Data", 2017.
package fedavg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/internal/shape"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Average implements the role Aggregator: the mean of the contributions, by weight. Sums are in float64 and in
// the order of the contributions, so that the same contributions in the same order give the same bits.
// Contributions belong to executions: see [runtime.Gatherer]. The computing methods are commands: Expect and
// Admit may be called concurrently with them.
type Average struct {
	MaxNorm float64 // the maximum norm of a contribution; longer ones are scaled down; 0: unlimited

	// Shape is the model's shape; contributions of other shapes are refused. It need not be set if the mean is
	// the carried value of a loop: then it is the shape of the initial value. Otherwise the first mean has the
	// shape of most of its contributions, and later ones the same.
	Shape []int

	known shape.Known // the model's shape, if Shape is not set

	// Fields for commands.
	rounds []*round       // those with contributions
	in     runtime.Round  // the round of the next call
	spare  *round         // an ended one, to be reused
	mean   *tensor.Memory // of the last mean
}

// Enter sets the execution to which the following calls belong.
func (a *Average) Enter(r runtime.Round) {
	a.known.Begin()
	a.in = r
}

// Leave forgets the contributions of an execution.
func (a *Average) Leave(r runtime.Round) {
	a.known.Begin()
	a.forget(r)
}

func (a *Average) forget(r runtime.Round) {
	a.rounds = slices.DeleteFunc(a.rounds, func(x *round) bool {
		if x.of != r {
			return false
		}
		x.forget()
		a.spare = x
		return true
	})
}

// round returns the contributions of a shape in the calling execution.
func (a *Average) round(shape []int) *round {
	for _, r := range a.rounds {
		if r.of == a.in && slices.Equal(r.shape, shape) {
			return r
		}
	}
	r := a.spare
	if a.spare = nil; r == nil {
		r = &round{}
	}
	r.of, r.shape, r.weight = a.in, append(r.shape[:0], shape...), 0
	a.rounds = append(a.rounds, r)
	return r
}

// mostFrequent returns the contributions of the most frequent shape in the calling execution, the first of several; nil
// if there are none.
func (a *Average) mostFrequent() (most *round) {
	for _, r := range a.rounds {
		if r.of == a.in && r.count > 0 && (most == nil || r.count > most.count) {
			most = r
		}
	}
	return most
}

// Expect sets the shape of the model: see [runtime.Shaped]. A tensor without elements may get its shape later.
func (a *Average) Expect(shape []int) { a.known.Expect(shape) }

// Admit returns an error if the shape of a contribution is wrong.
func (a *Average) Admit(shape []int) error { return a.known.Admit(shape, a.Shape) }

// Contribute adds the contribution of a peer, which it reads twice. A contribution that is not finite, or has
// another shape than the model, is refused without effect.
func (a *Average) Contribute(ctx context.Context, from wire.PeerID, x *runtime.Large[float32], weight float32) error {
	w := float64(weight)
	if !(w > 0) || math.IsInf(w, 0) {
		return fmt.Errorf("the weight is %v, want a number above 0", weight)
	}
	if err := cmp.Or(ctx.Err(), a.known.Contributed(x.Shape(), a.Shape)); err != nil {
		return err
	}
	scale, err := a.scale(x)
	if err != nil {
		return err
	}
	r := a.round(x.Shape())
	if err := r.add(x, w*scale); err != nil {
		return err
	}
	r.weight += w
	r.count++
	return nil
}

// scale returns the factor that limits the norm of a contribution. All elements must be finite.
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

// notFinite returns an error if an element is not finite; the first element has the index at.
func notFinite(x []float32, at int) error {
	for i, v := range x {
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("element %d is %v", at+i, v)
		}
	}
	panic("BUG: all elements are finite")
}

// Aggregate returns the mean of the contributions since the last call. It is valid until the next call, and as
// long as its memory has references. For a large model it uses the memory of the sum, which is not reused.
func (a *Average) Aggregate(context.Context) (tensor.Dense[float32], error) {
	mean, _, err := a.aggregate()
	return mean, err
}

// AggregateWeighted returns the results of Aggregate, and the sum of the weights.
func (a *Average) AggregateWeighted(context.Context) (tensor.Dense[float32], float32, error) {
	mean, weight, err := a.aggregate()
	return mean, float32(weight), err
}

func (a *Average) aggregate() (mean tensor.Dense[float32], weight float64, err error) {
	defer a.forget(a.in)
	r := a.mostFrequent()
	switch {
	case r == nil:
		return mean, 0, errors.New("no peer has contributed")
	case r.err != nil:
		return mean, 0, r.err
	}
	a.known.Learn(r.shape)
	a.mean.Release()
	mean = r.mean()
	a.mean = mean.Memory()
	return mean, r.weight, nil
}

// AppendBinary appends the shape of the model, if it is known, and the contributions so
// far.
func (a *Average) AppendBinary(b []byte) ([]byte, error) {
	b = a.known.Append(b)
	b = runtime.AppendScalar(b, int64(len(a.rounds)))
	for _, r := range a.rounds {
		r.sumWaiting()
		b, _ = r.of.AppendBinary(b)
		b = runtime.AppendScalar(b, int64(r.count))
		if r.count > 0 {
			b = runtime.AppendScalar(b, r.weight)
			b = runtime.AppendDense(b, tensor.DenseOf(r.sum, r.shape...))
		}
	}
	return b, nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (a *Average) UnmarshalBinary(b []byte) error {
	var rounds int64
	f := runtime.NewFields(b)
	a.known.Read(f, len(b))
	runtime.ReadScalar(f, &rounds)
	for len(a.rounds) > 0 {
		a.forget(a.rounds[0].of)
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
