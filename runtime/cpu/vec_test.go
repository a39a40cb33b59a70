package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

var unaries = []struct {
	name  string
	f     func(dst, x []float32)
	exact func(float64) float64
	ulp   float64 // error bound, in units of the last place
	abs   float64 // or in multiples of |x|
}{
	{"Relu", VecRelu32, func(x float64) float64 { return max(x, 0) }, 0, 0},
	{"Sqrt", VecSqrt32, math.Sqrt, 0.5, 0},
	{"Exp", VecExp32, math.Exp, 1.5, 0},
	{"Log", VecLog32, math.Log, 1.5, 0},
	{"Tanh", VecTanh32, math.Tanh, 2, 0},
	{"Sigmoid", VecSigmoid32, exactSigmoid, 3, 0},
	{"Erf", VecErf32, math.Erf, 1.5, 0},
	{"Gelu", VecGelu32, exactGelu, 0, 0x1p-23},
	{"GeluTanh", VecGeluTanh32, exactGeluTanh, 0, 0x1p-22},
	{"Silu", VecSilu32, exactSilu, 0, 0x1p-21},
	{"HardSwish", VecHardSwish32, exactHardSwish, 0, 0x1p-23},
}

// sameValue reports whether a and b are both NaN or equal.
func sameValue(a, b float32) bool { return a == b || a != a && b != b }

// ulp32 returns the distance between float32 values around x.
func ulp32(x float64) float64 {
	_, e := math.Frexp(x)
	return math.Ldexp(1, max(e, -125)-24)
}

// TestUnaryOverTheRange compares the unary functions with exact ones over the range of float32.
func TestUnaryOverTheRange(t *testing.T) {
	var xs []float32
	for bits := uint64(0); bits < 1<<32; bits += 39989 {
		xs = append(xs, math.Float32frombits(uint32(bits)))
	}
	for x := float32(-110); x < 110; x += 0.0037 {
		xs = append(xs, x)
	}
	for x := float32(-1); x < 1; x += 0.000037 {
		xs = append(xs, x)
	}
	for _, x := range []float32{0, 1, 0.625, 0.927734375, 87.33654, 88.72283, 88.72284, 103.97, 104, 1e-45, 1.1754944e-38, math.MaxFloat32, float32(math.Inf(1)), float32(math.NaN())} {
		xs = append(xs, x, -x)
	}
	got := make([]float32, len(xs))
	for _, u := range unaries {
		exact := make([]float64, len(xs))
		for i, x := range xs {
			exact[i] = u.exact(float64(x))
		}
		t.Run(u.name, func(t *testing.T) {
			eachLevel(t, func(t *testing.T) {
				u.f(got, xs)
				worst, at := 0.0, float32(0)
				for i, x := range xs {
					want := exact[i]
					if sameValue(got[i], float32(want)) {
						continue
					}
					err := math.Abs(float64(got[i])-want) / ulp32(want)
					if u.abs > 0 {
						err = math.Abs(float64(got[i])-want) / max(math.Abs(float64(x))*u.abs, 0x1p-149)
					}
					if !(err <= worst) {
						worst, at = err, x
					}
				}
				t.Logf("largest error %.3f at %v", worst, at)
				if bound := max(u.ulp, min(u.abs*0x1p30, 1)); !(worst <= bound) {
					t.Errorf("error %.3g at %v, want at most %v", worst, at, bound)
				}
			})
		})
	}
}

// lengths calls f with every length from 0 to 130, with operands at any address, and with special values.
func lengths(f func(n int, a, b []float32)) {
	rng := rand.New(rand.NewPCG(1, 1))
	odd := []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 1e-40, -1e-40, 3e38}
	for n := range 131 {
		a, b := randoms(rng, n), randoms(rng, n)
		f(n, a, b)
		for range n / 3 {
			a[rng.IntN(n)], b[rng.IntN(n)] = odd[rng.IntN(len(odd))], odd[rng.IntN(len(odd))]
		}
		f(n, a, b)
	}
}

// The result of an element depends neither on its place nor on the length, and no other memory is accessed.
func TestUnaryLengths(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, u := range unaries {
			lengths(func(n int, a, _ []float32) {
				dst, check := guarded(n)
				u.f(dst, a)
				check(t)
				for i, x := range a {
					var one [1]float32
					u.f(one[:], []float32{x})
					if !sameValue(dst[i], one[0]) {
						t.Fatalf("%s: %v at %d of %d gives %v, alone %v", u.name, x, i, n, dst[i], one[0])
					}
				}
				copy(dst, a)
				u.f(dst, dst)
				check(t)
				for i, x := range a {
					var one [1]float32
					u.f(one[:], []float32{x})
					if !sameValue(dst[i], one[0]) {
						t.Fatalf("%s in place: %v at %d of %d gives %v, alone %v", u.name, x, i, n, dst[i], one[0])
					}
				}
			})
		}
	})
}

// TestBinary compares the binary functions with exact ones, at each level.
func TestBinary(t *testing.T) {
	binaries := []struct {
		name   string
		vector func(dst, a, b []float32)
		scalar func(dst, a []float32, s float32)
		exact  func(a, b float32) float32
	}{
		{"Add", VecAdd32, VecAddS32, func(a, b float32) float32 { return a + b }},
		{"Sub", VecSub32, VecSubS32, func(a, b float32) float32 { return a - b }},
		{"Mul", VecMul32, VecMulS32, func(a, b float32) float32 { return a * b }},
		{"Div", VecDiv32, VecDivS32, func(a, b float32) float32 { return a / b }},
		{"Max", VecMax32, VecMaxS32, func(a, b float32) float32 { return max(a, b) }},
		{"Min", VecMin32, VecMinS32, func(a, b float32) float32 { return min(a, b) }},
		{"RSub", nil, VecRSubS32, func(a, b float32) float32 { return b - a }},
		{"RDiv", nil, VecRDivS32, func(a, b float32) float32 { return b / a }},
	}
	eachLevel(t, func(t *testing.T) {
		for _, bin := range binaries {
			lengths(func(n int, a, b []float32) {
				dst, check := guarded(n)
				if bin.vector != nil {
					bin.vector(dst, a, b)
					check(t)
					for i := range dst {
						if want := bin.exact(a[i], b[i]); !sameValue(dst[i], want) {
							t.Fatalf("%s(%v, %v) at %d of %d is %v, want %v", bin.name, a[i], b[i], i, n, dst[i], want)
						}
					}
				}
				for _, s := range []float32{0.3, 0, float32(math.NaN()), float32(math.Inf(-1))} {
					bin.scalar(dst, a, s)
					check(t)
					for i := range dst {
						if want := bin.exact(a[i], s); !sameValue(dst[i], want) {
							t.Fatalf("%sS(%v, %v) at %d of %d is %v, want %v", bin.name, a[i], s, i, n, dst[i], want)
						}
					}
				}
			})
		}
	})
}

// TestAxpy compares VecAxpy32 with its loop, at each level.
func TestAxpy(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(2, 2))
		for n := range 131 {
			x, y := randoms(rng, n), randoms(rng, n)
			dst, check := guarded(n)
			copy(dst, y)
			VecAxpy32(dst, x, 0.7)
			check(t)
			for i := range dst {
				want := float64(y[i]) + float64(float32(0.7))*float64(x[i])
				if !(math.Abs(float64(dst[i])-want) <= 0x1p-23) {
					t.Fatalf("%d of %d: %v, want %v", i, n, dst[i], want)
				}
			}
		}
	})
}

// TestReductions compares reductions with exact ones, at each level.
func TestReductions(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 3))
		for n := range 400 {
			x, y := randoms(rng, n), randoms(rng, n)
			if got, want := VecSum32(x), vecSumGo(x); got != want {
				t.Fatalf("sum of %d: %v, want %v at every level", n, got, want)
			}
			want, bound := product(x, y, 1, n, 1, false, false)
			near(t, "dot", []float32{VecDot32(x, y)}, want, bound)
			if n == 0 {
				continue
			}
			if got, want := VecReduceMax32(x), slices.Max(x); got != want {
				t.Fatalf("max of %d: %v, want %v", n, got, want)
			}
			if got, want := VecReduceMin32(x), slices.Min(x); got != want {
				t.Fatalf("min of %d: %v, want %v", n, got, want)
			}
			x[rng.IntN(n)] = nan
			if VecReduceMax32(x) == VecReduceMax32(x) || VecReduceMin32(x) == VecReduceMin32(x) || VecSum32(x) == VecSum32(x) {
				t.Fatalf("%d elements: a NaN got lost", n)
			}
		}
		if VecReduceMax32(nil) != -inf || VecReduceMin32(nil) != inf || VecSum32(nil) != 0 || VecDot32(nil, nil) != 0 {
			t.Error("of nothing")
		}
		if VecReduceMax32([]float32{-inf, -inf}) != -inf || VecReduceMin32([]float32{inf}) != inf {
			t.Error("of infinities")
		}
	})
}

// TestSoftmax compares VecSoftmax32 with an exact one, at each level.
func TestSoftmax(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(4, 4))
		for n := range 200 {
			x := randoms(rng, n)
			for i := range x {
				x[i] *= 30
			}
			if n > 3 {
				x[n/2] = float32(math.Inf(-1))
			}
			dst, check := guarded(n)
			VecSoftmax32(dst, x)
			check(t)
			top, sum := math.Inf(-1), 0.0
			for _, v := range x {
				top = max(top, float64(v))
			}
			for _, v := range x {
				sum += math.Exp(float64(v) - top)
			}
			for i, v := range x {
				want := math.Exp(float64(v)-top) / sum
				if !(math.Abs(float64(dst[i])-want) <= want*0x1p-17+0x1p-149) {
					t.Fatalf("%d of %d: %v, want %v", i, n, dst[i], want)
				}
			}
		}
	})
}

// TestLayerNorm compares VecLayerNorm32 with an exact one, at each level.
func TestLayerNorm(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 5))
		for n := range 200 {
			x, scale, bias := randoms(rng, n), randoms(rng, n), randoms(rng, n)
			for i := range x {
				x[i] += 100 // far from zero
			}
			dst, check := guarded(n)
			VecLayerNorm32(dst, x, scale, bias, 1e-5)
			check(t)
			if steps := make([]float32, n); n > 0 {
				normRow(steps, x, scale, bias, 1e-5)
				if !slices.Equal(dst, steps) {
					t.Fatalf("%d elements: in one call %v, step by step %v", n, dst, steps)
				}
			}
			mean, sq := 0.0, 0.0
			for _, v := range x {
				mean += float64(v) / float64(n)
			}
			for _, v := range x {
				sq += (float64(v) - mean) * (float64(v) - mean) / float64(n)
			}
			for i, v := range x {
				want := (float64(v)-mean)/math.Sqrt(sq+1e-5)*float64(scale[i]) + float64(bias[i])
				if !(math.Abs(float64(dst[i])-want) <= 1e-3) {
					t.Fatalf("%d of %d: %v, want %v", i, n, dst[i], want)
				}
			}
		}
	})
}

func exactHardSwish(x float64) float64 { return x * max(0, min(1, x/6+0.5)) }
