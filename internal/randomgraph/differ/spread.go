package differ

import (
	"math"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// margin is how much further off an element may be than shaking has moved it.
const margin = 16

// spread returns how far each element of output i may be off: what moves far if inner
// values move little is ill-conditioned, and says nothing about another way to compute
// it.
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

// widen takes the distances between g and w into a spread. Where g is missing, or of
// another shape, they are infinite.
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
