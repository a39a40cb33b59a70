package differ

import (
	"math"
	"math/rand/v2"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// shaker changes a few last bits of each number, and the sign of zeros. It makes denormal numbers zero, as
// kernels may do.
type shaker struct {
	rng  *rand.Rand
	zero func() float64
}

func newShaker(seed uint64) *shaker {
	s := &shaker{rng: rand.New(rand.NewPCG(seed, 4))}
	s.zero = func() float64 { return math.Copysign(0, float64(s.rng.IntN(2))-0.5) }
	if seed < 2 { // all zeros have one sign, as in kernels whose sums begin with a zero
		s.zero = func() float64 { return math.Copysign(0, float64(seed)-0.5) }
	}
	return s
}

// inputs returns copies of the inputs, shaken. A sum of products of shaken values has an error like that of
// rounding its terms.
func (s *shaker) inputs(in []tensor.Value) []tensor.Value {
	out := make([]tensor.Value, len(in))
	for i, v := range in {
		t := v.(*tensor.Tensor).Clone()
		s.shake(t, nil)
		out[i] = t
	}
	return out
}

// shake shakes t. The last bits are those of each element, or of its scale if that is larger.
func (s *shaker) shake(t *tensor.Tensor, scale []float64) {
	bits := map[tensor.DType]int{tensor.Float32: 23, tensor.Float64: 52, tensor.Float16: 10, tensor.BFloat16: 7}[t.DType]
	if bits == 0 {
		return
	}
	ulp := math.Ldexp(1, -bits)
	change(t, func(i int, x float64) float64 {
		k := ulp * float64(s.rng.IntN(7)-3)
		switch {
		case scale != nil && scale[i] > math.Abs(x):
			return x + scale[i]*k
		case math.Abs(x) < 0x1p-126:
			return s.zero()
		}
		return x * (1 + k)
	})
}

// change replaces the elements of t.
func change(t *tensor.Tensor, f func(i int, x float64) float64) {
	switch d := t.Data.(type) {
	case []float32:
		for i, x := range d {
			d[i] = float32(f(i, float64(x)))
		}
	case []float64:
		for i, x := range d {
			d[i] = f(i, x)
		}
	default:
		for i, x := range compare.Floats(t) {
			t.SetItem(i, tensor.FromFloat(t.DType, f(i, x)))
		}
	}
}

// scales returns the numbers to which the errors of some results are relative, or nil if these are the
// results themselves. Kernels define that: x·sigmoid(x), computed in one step, is exact within some bits of
// x, not of the product.
func scales(v *ir.Value, t *tensor.Tensor, of *history) []float64 {
	switch v.Def.Op {
	case "Sigmoid":
		one := make([]float64, t.Len())
		for i := range one {
			one[i] = 1
		}
		return one
	case "Swish", "Gelu", "HardSwish":
		x := of.tensor(v.Def.In[0])
		if x == nil || x.Len() != t.Len() {
			return nil
		}
		out := compare.Floats(x)
		for i, x := range out {
			out[i] = finite(math.Abs(x))
		}
		return out
	case "InstanceNormalization", "GroupNormalization":
		return normScales(v.Def, t.Shape, of.tensor(v.Def.In[0]), of.tensor(v.Def.In[1]))
	}
	return nil
}
