package differ

import (
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// normScales returns x·a for a = scale/√(variance+eps), where x has the shape of the result. The kernels of
// normalized groups add bias-mean·a to that, so their errors are some bits of it.
func normScales(n *ir.Node, shape []int, x, scale *tensor.Tensor) []float64 {
	if x == nil || scale == nil || x.Len() == 0 {
		return nil
	}
	channels := shape[1]
	size := x.Len() / shape[0] / n.IntOr("num_groups", channels)
	inner := x.Len() / shape[0] / channels
	out, factors := compare.Floats(x), compare.Floats(scale)
	for at := 0; at < len(out); at += size {
		group := out[at:][:size]
		f := 1 / math.Sqrt(variance(group)+n.Float("epsilon"))
		for i, x := range group {
			c := (at + i) / inner % channels
			group[i] = finite(math.Abs(x * f * factors[c*len(factors)/channels]))
		}
	}
	return out
}

func variance(x []float64) float64 {
	mean, squares := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	return squares / float64(len(x))
}

// finite returns x, or 0 if it is not a finite number.
func finite(x float64) float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	return x
}
