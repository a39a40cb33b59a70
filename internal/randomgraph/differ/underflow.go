package differ

import (
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// positive are the operators whose result is greater than zero for each finite number that they read. A zero there is
// a result too small for its type.
var positive = map[string]bool{"Exp": true, "Softmax": true}

// withoutUnderflow returns the results of m in which the smallest number of their type replaces such zeros. Fused
// operators do not compute the small number: LogSoftmax is exact where the logarithm of Softmax is that of zero.
func withoutUnderflow(m *ir.Module, in []tensor.Value) []tensor.Value {
	return evaluateWith(m, in, func(c computed, t *tensor.Tensor, of *history) {
		if !positive[c.v.Def.Op] {
			return
		}
		x := of.tensor(c.v.Def.In[0])
		if x == nil || x.Len() != t.Len() {
			return
		}
		read := compare.Floats(x)
		change(t, func(i int, y float64) float64 {
			if y == 0 && finite(read[i]) == read[i] {
				return smallest(t.DType)
			}
			return y
		})
	})
}

// smallest returns the smallest positive number of a type of floats.
func smallest(t tensor.DType) float64 {
	switch t {
	case tensor.Float64:
		return 0x1p-1074
	case tensor.Float16:
		return 0x1p-24
	case tensor.BFloat16:
		return 0x1p-133
	}
	return 0x1p-149
}

// allowUnderflow makes the spread of elements infinite that are infinite in want because of a zero, and in got between that
// infinity and the result of the smallest number instead of the zero: the exact number is between these two, so the
// result should be. What is NaN in want because of such an infinity may be anything.
func (n nearby) allowUnderflow(spread []float64, i int, got, want *tensor.Tensor) {
	g, w := compare.Floats(got), compare.Floats(want)
	for _, out := range n.underflown {
		t := result(out, i)
		if t == nil || compare.Shape(t, want) != nil {
			continue
		}
		for k, u := range compare.Floats(t) {
			if finite(u) == u && (math.IsInf(w[k], -1) && g[k] <= u || math.IsInf(w[k], 1) && g[k] >= u || math.IsNaN(w[k])) {
				spread[k] = math.Inf(1)
			}
		}
	}
}
