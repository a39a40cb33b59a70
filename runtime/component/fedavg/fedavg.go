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
// that the same contributions in the same order give the same bits.
type Average struct {
	MaxNorm float64 // contributions that are longer are scaled down to it; 0: none is

	sum     []float64 // of the first contributions
	summed  int       // how many those are
	waiting waiting   // the others
	shape   []int
	weight  float64
	count   int
	broken  error          // why the sum is none
	mean    *tensor.Memory // of the last mean
}

// waiting is contributions that stay where they are until all can be summed: then the
// sum of each part is taken while it is in the cache.
type waiting struct {
	x       [][]float32
	factors []float64
	shares  []wire.Blob
}

// Contribute adds what a peer sent, which it reads twice. What is not finite, or
// has another shape than the contributions before, is refused, and changes nothing.
func (a *Average) Contribute(from wire.PeerID, x *runtime.Large[float32], weight float32) error {
	w := float64(weight)
	if !(w > 0) || math.IsInf(w, 0) {
		return fmt.Errorf("the weight is %v, want a number above 0", weight)
	}
	if a.count > 0 && !slices.Equal(x.Shape(), a.shape) {
		return fmt.Errorf("the shape is %v, want %v as those before", x.Shape(), a.shape)
	}
	scale, err := a.scale(x)
	if err != nil {
		return err
	}
	if a.count == 0 {
		a.shape = append(a.shape[:0], x.Shape()...)
		a.weight = 0
	}
	if err := a.take(x, w*scale); err != nil {
		return err
	}
	a.weight += w
	a.count++
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

// block is how many elements are summed at a time: they stay in the cache.
const block = 4096

// keep is up to how many bytes of contributions wait, and of sums are kept for the
// next ones.
const keep = 32 << 20

// take has a contribution wait, or adds it to the sum.
func (a *Average) take(x *runtime.Large[float32], factor float64) error {
	if here, share, ok := x.Held(); ok {
		w := &a.waiting
		w.x, w.factors, w.shares = append(w.x, here), append(w.factors, factor), append(w.shares, share)
		if 4*len(here)*len(w.x) > keep {
			a.settle()
		}
		return nil
	}
	a.settle()
	sum := a.grown(x.Len())
	for part, err := range x.Parts() {
		if err != nil {
			a.broken = err // some of it is in the sum
			return err
		}
		for len(part) > 0 {
			n := min(block, len(part))
			if a.summed == 0 {
				clear(sum[:n])
			}
			cpu.AddScaled64(sum[:n], part[:n], factor)
			sum, part = sum[n:], part[n:]
		}
	}
	a.summed++
	return nil
}

// grown is the sum, of n elements, which may be anything before the first is summed.
func (a *Average) grown(n int) []float64 {
	a.sum = tensor.Grow(a.sum, n)
	return a.sum
}

// settle adds what waits to the sum, in the order in which it came.
func (a *Average) settle() {
	w := &a.waiting
	if len(w.x) == 0 {
		return
	}
	n := len(w.x[0])
	sum := a.grown(n)
	for at := 0; at < n; at += block {
		end := min(at+block, n)
		if a.summed == 0 {
			clear(sum[at:end])
		}
		for i, x := range w.x {
			cpu.AddScaled64(sum[at:end], x[at:end], w.factors[i])
		}
	}
	a.summed += len(w.x)
	w.release()
}

// release gives back what waited.
func (w *waiting) release() {
	for _, s := range w.shares {
		s.Release()
	}
	clear(w.x)
	clear(w.shares)
	w.x, w.factors, w.shares = w.x[:0], w.factors[:0], w.shares[:0]
}

// Aggregate is the mean of the contributions since the last call. It is not changed
// before the next call, nor as long as anybody has a share in its memory. That of a
// large model has the memory of the sum, which is not used again.
func (a *Average) Aggregate() (tensor.Dense[float32], error) {
	err := a.broken
	if a.count == 0 && err == nil {
		err = errors.New("nobody has contributed")
	}
	defer a.forget()
	if err != nil {
		return tensor.Dense[float32]{}, err
	}
	a.mean.Release()
	mean := a.divided()
	a.mean = mean.Memory()
	return mean, nil
}

// forget makes place for the next contributions.
func (a *Average) forget() {
	a.waiting.release()
	a.count, a.summed, a.broken = 0, 0, nil
	if 8*len(a.sum) > keep {
		a.sum = nil
	}
}

// divided is the mean of what was summed and what waits.
func (a *Average) divided() tensor.Dense[float32] {
	if w := &a.waiting; a.summed == 0 { // the sum need not be in memory as a whole
		mean := tensor.NewDense[float32](slices.Clone(a.shape)...)
		cpu.AverageScaled(mean.Data, w.x, w.factors, a.weight)
		return mean
	}
	a.settle()
	mean := tensor.DenseOf(tensor.Narrow(a.sum), slices.Clone(a.shape)...)
	if 8*len(a.sum) <= keep {
		mean = tensor.NewDense[float32](mean.Shape...)
	}
	cpu.DivNarrow(mean.Data, a.sum, a.weight)
	return mean
}

// AggregateWeighted is Aggregate, and the sum of the weights.
func (a *Average) AggregateWeighted() (tensor.Dense[float32], float32, error) {
	mean, err := a.Aggregate()
	return mean, float32(a.weight), err
}

// AppendBinary appends the contributions so far.
func (a *Average) AppendBinary(b []byte) ([]byte, error) {
	a.settle()
	b = runtime.AppendScalar(b, int64(a.count))
	if a.count == 0 {
		return b, nil
	}
	b = runtime.AppendScalar(b, a.weight)
	return runtime.AppendDense(b, tensor.DenseOf(a.sum, a.shape...)), nil
}

// UnmarshalBinary sets what AppendBinary has written.
func (a *Average) UnmarshalBinary(b []byte) error {
	var count int64
	var weight float64
	var sum tensor.Dense[float64]
	r := runtime.NewFields(b)
	if runtime.ReadScalar(r, &count); count != 0 {
		runtime.ReadScalar(r, &weight)
		runtime.ReadDense(r, &sum)
	}
	if err := r.End(); err != nil {
		return err
	}
	if count < 0 || count > 0 && !(weight > 0) {
		return fmt.Errorf("%d contributions of weight %v", count, weight)
	}
	a.waiting.release()
	a.count, a.summed, a.weight, a.sum, a.shape = int(count), int(count), weight, sum.Data, sum.Shape
	return nil
}
