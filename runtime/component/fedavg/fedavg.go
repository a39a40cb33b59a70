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
	"github.com/bbgen/bbgen/runtime/component/internal/byround"
	"github.com/bbgen/bbgen/runtime/component/internal/shape"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
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
	rounds byround.Values[round] // one for each shape
	spare  *round                // an ended one, to be reused
	mean   *tensor.Memory        // of the last mean
}

// Enter sets the execution to which the following calls belong.
func (a *Average) Enter(r runtime.Round) {
	a.known.Begin()
	a.rounds.Enter(r)
}

// Leave forgets the contributions of an execution.
func (a *Average) Leave(r runtime.Round) {
	a.known.Begin()
	a.release(a.rounds.Leave(r))
}

// release releases what ended rounds hold, and keeps one to be reused.
func (a *Average) release(ended []*round) {
	for _, r := range ended {
		r.forget()
		a.spare = r
	}
}

// round returns the contributions of a shape in the calling execution.
func (a *Average) round(shape []int) *round {
	for r := range a.rounds.All() {
		if slices.Equal(r.shape, shape) {
			return r
		}
	}
	r := a.spare
	if a.spare = nil; r == nil {
		r = &round{}
	}
	r.shape, r.weight = append(r.shape[:0], shape...), 0
	return a.rounds.Add(r)
}

// mostFrequent returns the contributions of the most frequent shape of an execution, the first of several; nil if there
// are none.
func mostFrequent(rounds []*round) (most *round) {
	for _, r := range rounds {
		if r.count > 0 && (most == nil || r.count > most.count) {
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
func (a *Average) Contribute(ctx context.Context, from wire.PeerID, x *values.Large[float32], weight float32) error {
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
func (a *Average) scale(x *values.Large[float32]) (float64, error) {
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
	rounds := a.rounds.Take()
	defer a.release(rounds)
	r := mostFrequent(rounds)
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
	return a.rounds.Append(a.known.Append(b), func(b []byte, r *round) []byte {
		r.sumWaiting()
		if b = values.AppendScalar(b, int64(r.count)); r.count == 0 {
			return b
		}
		return values.AppendDense(values.AppendScalar(b, r.weight), tensor.DenseOf(r.sum, r.shape...))
	}), nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (a *Average) UnmarshalBinary(b []byte) error {
	var known shape.Known
	var read byround.Values[round]
	f := values.NewFields(b)
	known.Read(f, len(b))
	err := read.Read(f, func(f *values.Fields, r *round) error { return r.read(f) })
	if err := cmp.Or(err, f.End()); err != nil {
		return err
	}
	a.known = known
	a.release(a.rounds.Replace(read))
	return nil
}
