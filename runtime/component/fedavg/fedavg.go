// Package fedavg averages what clients have trained: federated averaging, of H. B.
// McMahan and others, "Communication-Efficient Learning of Deep Networks from
// Decentralized Data", 2017.
package fedavg

import (
	"fmt"
	"math"

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

	sum    []float64
	shape  []int
	weight float64
	count  int
	mean   tensor.Dense[float32]
}

// Contribute adds what a peer sent. What is not finite, or has another shape
// than the contributions before, is refused, and changes nothing.
func (a *Average) Contribute(from wire.PeerID, x tensor.Dense[float32], weight float32) error {
	w := float64(weight)
	if !(w > 0) || math.IsInf(w, 0) {
		return fmt.Errorf("the weight is %v, want a number above 0", weight)
	}
	if a.count > 0 && !equal(x.Shape, a.shape) {
		return fmt.Errorf("the shape is %v, want %v as those before", x.Shape, a.shape)
	}
	if !cpu.AllFinite(x.Data) {
		return notFinite(x.Data)
	}
	a.add(x, w*a.scale(x.Data), w)
	return nil
}

// notFinite says where a contribution is not finite.
func notFinite(x []float32) error {
	for i, v := range x {
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("element %d is %v", i, v)
		}
	}
	panic("BUG: all elements are finite")
}

// scale is what a contribution is multiplied by so that it is not too long.
func (a *Average) scale(x []float32) float64 {
	if a.MaxNorm <= 0 {
		return 1
	}
	square := 0.0
	for _, v := range x {
		square += float64(float64(v) * float64(v))
	}
	if norm := math.Sqrt(square); norm > a.MaxNorm {
		return a.MaxNorm / norm
	}
	return 1
}

// block is how many elements are summed at a time: they stay in the cache.
const block = 4096

func (a *Average) add(x tensor.Dense[float32], factor, weight float64) {
	first := a.count == 0
	if first {
		a.shape = append(a.shape[:0], x.Shape...)
		a.sum = tensor.Grow(a.sum, len(x.Data))
		a.weight = 0
	}
	for at := 0; at < len(x.Data); at += block {
		end := min(at+block, len(x.Data))
		if first {
			clear(a.sum[at:end])
		}
		cpu.AddScaled64(a.sum[at:end], x.Data[at:end], factor)
	}
	a.weight += weight
	a.count++
}

// Aggregate is the mean of the contributions since the last call. The next one
// overwrites it.
func (a *Average) Aggregate() (tensor.Dense[float32], error) {
	if a.count == 0 {
		return tensor.Dense[float32]{}, fmt.Errorf("nobody has contributed")
	}
	a.mean.Resize(a.shape...)
	cpu.DivNarrow(a.mean.Data, a.sum, a.weight)
	a.count = 0
	return a.mean, nil
}

// AggregateWeighted is Aggregate, and the sum of the weights.
func (a *Average) AggregateWeighted() (tensor.Dense[float32], float32, error) {
	mean, err := a.Aggregate()
	return mean, float32(a.weight), err
}

func equal(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// AppendBinary appends the contributions so far.
func (a *Average) AppendBinary(b []byte) ([]byte, error) {
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
	a.count, a.weight, a.sum, a.shape = int(count), weight, sum.Data, sum.Shape
	return nil
}
