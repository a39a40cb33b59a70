// Package fedavg averages what clients have trained: federated averaging, of H. B.
// McMahan and others, "Communication-Efficient Learning of Deep Networks from
// Decentralized Data", 2017.
package fedavg

import (
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime"
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
	square := 0.0
	for i, v := range x.Data {
		f := float64(v)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("element %d is %v", i, v)
		}
		square += f * f
	}
	if norm := math.Sqrt(square); a.MaxNorm > 0 && norm > a.MaxNorm {
		a.add(x, w, a.MaxNorm/norm)
	} else {
		a.add(x, w, 1)
	}
	return nil
}

func (a *Average) add(x tensor.Dense[float32], weight, scale float64) {
	if a.count == 0 {
		a.shape = append(a.shape[:0], x.Shape...)
		a.sum = tensor.Grow(a.sum, len(x.Data))
		clear(a.sum)
		a.weight = 0
	}
	factor := weight * scale
	for i, v := range x.Data {
		a.sum[i] += float64(factor * float64(v))
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
	for i, s := range a.sum {
		a.mean.Data[i] = float32(s / a.weight)
	}
	a.count = 0
	return a.mean, nil
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
