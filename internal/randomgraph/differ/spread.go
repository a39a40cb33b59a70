package differ

import (
	"math"
	"math/rand/v2"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// variants is how many times all values are changed.
const variants = 24

// spreadOf evaluates m with the last bits of every float changed at random, of inputs
// and of what nodes compute, and returns how far that moves each element of each
// output: what moves far is ill-conditioned, and says nothing about another way to
// compute it.
func spreadOf(m *ir.Module, in, want []tensor.Value) [][]float64 {
	out := make([][]float64, len(want))
	for i, v := range want {
		if t, ok := v.(*tensor.Tensor); ok {
			out[i] = make([]float64, t.Len())
		}
	}
	for k := range variants {
		got, err := shaken(m, in, uint64(k))
		for i, v := range want {
			if w, ok := v.(*tensor.Tensor); ok {
				var g *tensor.Tensor
				if err == nil {
					g, _ = got[i].(*tensor.Tensor)
				}
				widen(out[i], g, w)
			}
		}
	}
	return out
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

// shaken evaluates m with other last bits.
func shaken(m *ir.Module, in []tensor.Value, seed uint64) (out []tensor.Value, err error) {
	rng := rand.New(rand.NewPCG(seed, 4))
	zero := func() float64 { return math.Copysign(0, float64(rng.IntN(2))-0.5) }
	if seed < 2 { // all zeros have one sign, as kernels make them that begin with a zero
		zero = func() float64 { return math.Copysign(0, float64(seed)-0.5) }
	}
	moved := make([]tensor.Value, len(in))
	for i, v := range in {
		t := v.(*tensor.Tensor).Clone()
		shake(t, rng, zero)
		moved[i] = t
	}
	err = guarded(func() error {
		var err error
		out, err = eval.Watch(m.Main, moved, func(_ *ir.Value, x tensor.Value) {
			if t, ok := x.(*tensor.Tensor); ok {
				shake(t, rng, zero)
			}
		})
		return err
	})
	return out, err
}

// shake changes a few last bits of each number, and the sign of zeros; what is as small
// as only denormal numbers are becomes a zero, as kernels may make it.
func shake(t *tensor.Tensor, rng *rand.Rand, zero func() float64) {
	bits := map[tensor.DType]int{tensor.Float32: 23, tensor.Float64: 52, tensor.Float16: 10, tensor.BFloat16: 7}[t.DType]
	if bits == 0 {
		return
	}
	ulp := math.Ldexp(1, -bits)
	switch d := t.Data.(type) {
	case []float32:
		for i, x := range d {
			d[i] = float32(nudge(float64(x), ulp, rng, zero))
		}
	case []float64:
		for i, x := range d {
			d[i] = nudge(x, ulp, rng, zero)
		}
	default:
		for i, x := range compare.Floats(t) {
			t.SetItem(i, tensor.FromFloat(t.DType, nudge(x, ulp, rng, zero)))
		}
	}
}

func nudge(x, ulp float64, rng *rand.Rand, zero func() float64) float64 {
	if math.Abs(x) < 0x1p-126 {
		return zero()
	}
	return x * (1 + ulp*float64(rng.IntN(7)-3))
}
