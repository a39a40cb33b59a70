package differ

import (
	"math"
	"math/rand/v2"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// comparisons are the operators that compare two numbers.
var comparisons = map[string]bool{"Equal": true, "Less": true, "LessOrEqual": true, "Greater": true, "GreaterOrEqual": true}

// flips choose the comparisons of possibly equal numbers that get the opposite result.
var flips = []func(rng *rand.Rand) bool{
	func(*rand.Rand) bool { return true },
	func(rng *rand.Rand) bool { return rng.IntN(2) == 0 },
	func(rng *rand.Rand) bool { return rng.IntN(2) == 0 },
	func(rng *rand.Rand) bool { return rng.IntN(3) == 0 },
}

// tied returns results of m with other outcomes for comparisons of numbers that differ by no more than their
// errors: rounded results of integer arithmetic may be exactly equal to other rounded values, which a small
// change of all numbers hardly finds.
func tied(m *ir.Module, in []tensor.Value, off trace) (results [][]tensor.Value) {
	for k, flip := range flips {
		rng := rand.New(rand.NewPCG(uint64(k), 7))
		results = append(results, watch(m, in, func(v *ir.Value, t *tensor.Tensor, of *history) {
			if !comparisons[v.Def.Op] {
				return
			}
			result, _ := t.Data.([]bool)
			for i, may := range ties(v.Def, t, of, off) {
				if may && flip(rng) {
					result[i] = !result[i]
				}
			}
		}))
	}
	return results
}

// about is a number and its possible error.
type about struct{ x, off float64 }

// ties returns for each element of a comparison whether its operands may be equal, or nil if they are not
// floats.
func ties(n *ir.Node, result *tensor.Tensor, of *history, off trace) []bool {
	a, b := of.tensor(n.In[0]), of.tensor(n.In[1])
	if a == nil || b == nil || !a.DType.IsFloat() {
		return nil
	}
	as, bs := shapeRead(n.In[0], a, result), shapeRead(n.In[1], b, result)
	if as == nil || bs == nil {
		return nil
	}
	may := make([]bool, result.Len())
	cpu.Broadcast(may, abouts(a, off[of.last(n.In[0])]), abouts(b, off[of.last(n.In[1])]), equal, result.Shape, as, bs)
	return may
}

// shapeRead returns the shape in which a comparison reads t as v, or nil if that is a reshaped value of
// unknown shape.
func shapeRead(v *ir.Value, t, result *tensor.Tensor) []int {
	switch {
	case aliased(v) == v:
		return t.Shape
	case t.Len() == result.Len():
		return result.Shape
	}
	return nil
}

func abouts(t *tensor.Tensor, off []float64) []about {
	out := make([]about, t.Len())
	for i, x := range compare.Floats(t) {
		out[i].x = x
		if len(off) == len(out) {
			out[i].off = margin * off[i]
		}
	}
	return out
}

func equal(may []bool, a, b []about) {
	for i := range may {
		x, y := a[min(i, len(a)-1)], b[min(i, len(b)-1)]
		may[i] = math.Abs(x.x-y.x) <= x.off+y.off
	}
}
