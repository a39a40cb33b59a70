package differ

import (
	"math"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// margin is the factor from the largest change by shaking to the allowed error of an element.
const margin = 16

// spread returns the allowed error of each element of output i. It is large for ill-conditioned elements,
// which change much if inner values change little: their differences do not show a fault.
func (n nearby) spread(i int, want *tensor.Tensor) []float64 {
	out := make([]float64, want.Len())
	for _, v := range n.shaken {
		widen(out, result(v, i), want)
	}
	for k := range out {
		out[k] *= margin
	}
	for _, v := range n.tilted {
		widen(out, result(v, i), want)
	}
	return out
}

func result(out []tensor.Value, i int) *tensor.Tensor {
	if out == nil {
		return nil
	}
	t, _ := out[i].(*tensor.Tensor)
	return t
}

// widen includes the distances between g and w in a spread. They are infinite if g is missing or has another
// shape.
func widen(spread []float64, g, w *tensor.Tensor) {
	if g == nil || compare.Shape(g, w) != nil {
		for k := range spread {
			spread[k] = math.Inf(1)
		}
		return
	}
	a, b := compare.Floats(g), compare.Floats(w)
	for k := range spread {
		spread[k] = max(spread[k], distance(a[k], b[k]))
	}
}
