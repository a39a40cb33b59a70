package differ

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// infinities are the signs of the infinities that replace a NaN in a sum of overflowing products, or of branches of infinite
// images. Kernels that fuse a product into its sum do not round it, and branches that became one convolution multiply once: the result
// is then infinite instead.
var infinities = append([]func(rng *rand.Rand) int{
	func(*rand.Rand) int { return 1 },
	func(*rand.Rand) int { return -1 },
}, slices.Repeat([]func(rng *rand.Rand) int{func(rng *rand.Rand) int { return 2*rng.IntN(2) - 1 }}, 8)...)

// overflown returns results of m in which infinities replace such NaNs. The results of m itself are base.
func overflown(m *ir.Module, in []tensor.Value, base trace) (results [][]tensor.Value) {
	doubtful := withoutLarge(m, in, base)
	if len(doubtful) == 0 {
		return nil
	}
	for k, sign := range infinities {
		rng := rand.New(rand.NewPCG(uint64(k), 6))
		results = append(results, evaluateWith(m, in, func(c computed, t *tensor.Tensor, _ *history) {
			if doubtful[c] {
				change(t, func(_ int, x float64) float64 {
					if math.IsNaN(x) {
						return math.Inf(sign(rng))
					}
					return x
				})
			}
		}))
	}
	return results
}

// withoutLarge returns the values of base with a NaN that becomes a number if no large numbers are
// multiplied, or that is a sum of branches.
func withoutLarge(m *ir.Module, in []tensor.Value, base trace) map[computed]bool {
	numbers := map[computed]bool{}
	for c, x := range base {
		if isSumOfBranches(c.v.Def) && slices.ContainsFunc(x, math.IsNaN) {
			numbers[c] = true
		}
	}
	small := make([]tensor.Value, len(in))
	for i, v := range in {
		t := v.(*tensor.Tensor).Clone()
		limit(t)
		small[i] = t
	}
	evaluateWith(m, small, func(c computed, t *tensor.Tensor, _ *history) {
		limit(t)
		is := compare.Floats(t)
		for i, x := range base[c] {
			if math.IsNaN(x) && len(is) == len(base[c]) && !math.IsNaN(is[i]) {
				numbers[c] = true
			}
		}
	})
	return numbers
}

// isSumOfBranches reports whether a node adds or subtracts results of convolutions, or of a convolution and a normalization.
func isSumOfBranches(n *ir.Node) bool {
	if n == nil || !n.Is("Add") && !n.Is("Sub") && !n.Is("Sum") {
		return false
	}
	return !slices.ContainsFunc(n.In, func(v *ir.Value) bool {
		return v.Def == nil || !v.Def.Is("Conv") && !v.Def.Is("BatchNormalization") && !isSumOfBranches(v.Def)
	})
}

// limit limits numbers so that the product of two is finite in float32.
func limit(t *tensor.Tensor) {
	if !t.DType.IsFloat() {
		return
	}
	const large = 0x1p60
	change(t, func(_ int, x float64) float64 {
		if math.IsInf(x, 0) {
			return x
		}
		return max(-large, min(large, x)) // a NaN remains a NaN
	})
}
