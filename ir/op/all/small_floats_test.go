package all_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestRandomUniformOfHalves draws float16 and bfloat16 from low to before high. A float32 just below high would be rounded to it
// in one of 4096, or of 512, draws.
func TestRandomUniformOfHalves(t *testing.T) {
	for _, dtype := range []tensor.DType{tensor.Float16, tensor.BFloat16} {
		for _, c := range []struct{ low, high float64 }{{0, 1}, {-1, 0}, {1, 2}, {-3, 0.1}, {0, 1e-6}, {-65504, 65504}, {1, 0}, {3, -0.1}, {2, 2}} {
			attrs := fmt.Sprintf("{dtype = %d, shape = [20000], low = %.7f, high = %.7f, seed = 3.0}", int(dtype), c.low, c.high)
			out := computed(t, 1, "RandomUniform "+attrs)
			largest, smallest := math.Inf(-1), math.Inf(1)
			for i := range out[0].Len() {
				var v float64
				switch x := out[0].Data.(type) {
				case []tensor.F16:
					v = float64(x[i].Float32())
				case []tensor.BF16:
					v = float64(x[i].Float32())
				}
				largest, smallest = max(largest, v), min(smallest, v)
			}
			high := float64(float32(c.high))
			if c.low < c.high && !(largest < high && largest > high-(high-c.low)/10) || c.low > c.high && !(smallest > high) || c.low == c.high && (largest != high || smallest != high) {
				t.Errorf("%s: from %v to %v", attrs, smallest, largest)
			}
		}
	}
}

// float8 is one of the types with eight bits: the values of its codes, by the formula of the paper or of ONNX.
type float8 struct {
	dtype    tensor.DType
	mantissa int // bits
	bias     int
	infinite bool // has infinities; all ones of the exponent are these and NaNs
	unsigned bool // there is no negative zero: its code is NaN
}

var float8s = []float8{
	{tensor.Float8E4M3FN, 3, 7, false, false},
	{tensor.Float8E4M3FNUZ, 3, 8, false, true},
	{tensor.Float8E5M2, 2, 15, true, false},
	{tensor.Float8E5M2FNUZ, 2, 16, false, true},
}

// value decodes a code.
func (f float8) value(code int) float64 {
	fraction, exponent := code&(1<<f.mantissa-1), code&0x7f>>f.mantissa
	sign := 1.0
	if code >= 128 {
		sign = -1
	}
	switch top := 0x7f >> f.mantissa; {
	case f.unsigned && code == 128, f.infinite && exponent == top && fraction > 0, !f.unsigned && !f.infinite && code&0x7f == 0x7f:
		return math.NaN()
	case f.infinite && exponent == top:
		return sign * math.Inf(1)
	case exponent == 0:
		return sign * math.Ldexp(float64(fraction), 1-f.bias-f.mantissa)
	}
	return sign * math.Ldexp(float64(int(1)<<f.mantissa+fraction), exponent-f.bias-f.mantissa)
}

// codes are the finite values that are not negative, in order.
func (f float8) values() (v []float64) {
	for code := range 128 {
		if x := f.value(code); !math.IsInf(x, 0) && x == x {
			v = append(v, x)
		}
	}
	sort.Float64s(v)
	return v
}

// round returns the nearest value, of two the one with an even code, from a search through all of them. What is too large is the
// largest value if it saturates, and otherwise infinite or NaN.
func (f float8) round(x float64, saturate bool) float64 {
	all := f.values()
	largest := all[len(all)-1]
	over := math.NaN()
	if f.infinite {
		over = math.Inf(1)
	}
	a := math.Abs(x)
	limit := largest + (largest-all[len(all)-2])/2 // halfway to what would be the next value
	if len(all)%2 == 1 {
		limit = math.Nextafter(limit, math.Inf(1)) // the code of the largest is even
	}
	switch {
	case x != x:
		return x
	case !saturate && a >= limit:
		return math.Copysign(over, x)
	case a >= largest:
		return math.Copysign(largest, x)
	}
	k := sort.SearchFloat64s(all, a)
	best := all[k]
	if k > 0 {
		low := all[k-1]
		if d := (a - low) - (best - a); d < 0 || d == 0 && (k-1)%2 == 0 {
			best = low
		}
	}
	return math.Copysign(best, x)
}

// TestFloat8Model compares Cast and QuantizeLinear to each float8 with a search through its 256 codes: at all values, halfway between
// neighbors, one float beside, beyond the largest, and at infinities. Cast back gives the values of all codes.
func TestFloat8Model(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, f := range float8s {
		all := f.values()
		largest := all[len(all)-1]
		step := largest - all[len(all)-2]
		points := []float64{0, largest + step/2, largest + step, 2 * largest, math.MaxFloat32, math.Inf(1), all[1] / 2, all[1] / 4}
		for k := range all[1:] {
			points = append(points, all[k], (all[k]+all[k+1])/2)
		}
		points = append(points, largest)
		var x []float32
		for _, p := range points {
			v := float32(p)
			for _, w := range []float32{v, math.Nextafter32(v, 0), math.Nextafter32(v, float32(math.Inf(1)))} {
				x = append(x, w, -w)
			}
		}
		for range 2000 {
			x = append(x, float32(math.Ldexp(rng.NormFloat64(), rng.IntN(40)-25)))
		}
		x = append(x, float32(math.NaN()))
		in := tensor.Of(x, len(x))
		for _, saturate := range []int{1, 0} {
			want := make([]float64, len(x))
			for i, v := range x {
				want[i] = f.round(float64(v), saturate == 1)
			}
			node := fmt.Sprintf("Cast {to = %d, saturate = %d}", int(f.dtype), saturate)
			code := computed(t, 1, node, in)[0]
			closeTo(t, fmt.Sprint(f.dtype, " ", node), f.decoded(code), want, 0)
			back := computed(t, 1, "Cast {to = 1}", code)[0].Data.([]float32)
			for i, v := range f.decoded(code) {
				if g := float64(back[i]); g != v && !(g != g && v != v) {
					t.Errorf("%s of %v is %v in float32", f.dtype, v, g)
				}
			}
			node = fmt.Sprintf("QuantizeLinear {output_dtype = %d, saturate = %d}", int(f.dtype), saturate)
			code = computed(t, 1, node, in, tensor.Of([]float32{0.25}))[0]
			for i, v := range x {
				want[i] = f.round(float64(v/0.25), saturate == 1)
			}
			closeTo(t, fmt.Sprint(f.dtype, " ", node), f.decoded(code), want, 0)
		}
	}
}

// decoded returns the values of the codes of a tensor.
func (f float8) decoded(x *tensor.Tensor) []float64 {
	v := make([]float64, x.Len())
	for i, code := range x.Bytes() {
		v[i] = f.value(int(code))
	}
	return v
}
