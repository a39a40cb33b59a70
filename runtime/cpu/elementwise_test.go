package cpu

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

var inf, nan = math.Inf(1), math.NaN()

// agree compares numbers within a tolerance; those that are not finite must be equal.
func agree(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	for i, w := range want {
		if !same(got[i], w) && !(math.Abs(got[i]-w) <= tol*(1+math.Abs(w))) {
			t.Errorf("%s: element %d is %v, want %v", what, i, got[i], w)
		}
	}
}

// TestUnary compares kernels of one operand with known values, in float64 and in float32, with separate
// memory and in place.
func TestUnary(t *testing.T) {
	for _, c := range []struct {
		name    string
		f64     func(dst, x []float64)
		f32     func(dst, x []float32)
		x, want []float64
	}{
		{"Abs", Abs[float64], Abs[float32], []float64{-2, 0, 3, -inf, nan}, []float64{2, 0, 3, inf, nan}},
		{"Neg", Neg[float64], Neg[float32], []float64{-2, 3, inf}, []float64{2, -3, -inf}},
		{"Sign", Sign[float64], Sign[float32], []float64{-2, 0, 3, nan}, []float64{-1, 0, 1, nan}},
		{"Ceil", Ceil[float64], Ceil[float32], []float64{-1.5, 1.5, inf}, []float64{-1, 2, inf}},
		{"Floor", Floor[float64], Floor[float32], []float64{-1.5, 1.5, inf}, []float64{-2, 1, inf}},
		{"Trunc", Trunc[float64], Trunc[float32], []float64{-1.5, 1.5, -inf, nan}, []float64{-1, 1, -inf, nan}},
		{"Log1p", Log1p[float64], Log1p[float32], []float64{0, 1, 1e-20, -1, -2, inf}, []float64{0, math.Ln2, 1e-20, -inf, nan, inf}},
		{"Round", Round[float64], Round[float32], []float64{0.5, 1.5, -2.5, 2.6}, []float64{0, 2, -2, 3}},
		{"Exp", Exp[float64], Exp[float32], []float64{0, 1, -inf, inf}, []float64{1, math.E, 0, inf}},
		{"Log", Log[float64], Log[float32], []float64{1, math.E, 0, -1}, []float64{0, 1, -inf, nan}},
		{"Sqrt", Sqrt[float64], Sqrt[float32], []float64{4, 2, -1}, []float64{2, math.Sqrt2, nan}},
		{"Reciprocal", Reciprocal[float64], Reciprocal[float32], []float64{4, 0, inf}, []float64{0.25, inf, 0}},
		{"Erf", Erf[float64], Erf[float32], []float64{0, inf, -inf}, []float64{0, 1, -1}},
		{"Tanh", Tanh[float64], Tanh[float32], []float64{0, inf, -inf}, []float64{0, 1, -1}},
		{"Sin", Sin[float64], Sin[float32], []float64{0, math.Pi / 2}, []float64{0, 1}},
		{"Acos", Acos[float64], Acos[float32], []float64{1, 0, 2}, []float64{0, math.Pi / 2, nan}},
		{"Atanh", Atanh[float64], Atanh[float32], []float64{0, 1}, []float64{0, inf}},
		{"Sigmoid", Sigmoid[float64], Sigmoid[float32], []float64{0, 100, -inf}, []float64{0.5, 1, 0}},
		{"HardSwish", HardSwish[float64], HardSwish[float32], []float64{-4, 0, 3, 5}, []float64{0, 0, 3, 5}},
		{"Softplus", Softplus[float64], Softplus[float32], []float64{0, 1000, -1000}, []float64{math.Ln2, 1000, 0}},
		{"Softsign", Softsign[float64], Softsign[float32], []float64{1, -3}, []float64{0.5, -0.75}},
		{"Mish", Mish[float64], Mish[float32], []float64{0, 100}, []float64{0, 100}},
		{"Gelu", Gelu[float64], Gelu[float32], []float64{0, 10}, []float64{0, 10}},
		{"Relu", Relu[float64], Relu[float32], []float64{-1, 2, nan}, []float64{0, 2, nan}},
	} {
		got := make([]float64, len(c.x))
		c.f64(got, c.x)
		agree(t, c.name, got, c.want, 1e-12)
		in := narrow32(c.x)
		c.f32(in, in)
		agree(t, c.name+" in float32", widen64(in), c.want, 1e-6)
		c.f64(nil, nil)
		c.f32(nil, nil)
	}
}

// TestParameters tests kernels with one or two numbers as parameters.
func TestParameters(t *testing.T) {
	x := []float64{-2, -0.25, 0, 0.25, 2}
	for _, c := range []struct {
		name string
		f    func(dst, x []float64)
		want []float64
	}{
		{"LeakyRelu", func(d, x []float64) { LeakyRelu(d, x, 0.5) }, []float64{-1, -0.125, 0, 0.25, 2}},
		{"Elu", func(d, x []float64) { Elu(d, x, 2) }, []float64{2 * math.Expm1(-2), 2 * math.Expm1(-0.25), 0, 0.25, 2}},
		{"Selu", func(d, x []float64) { Selu(d, x, 1, 3) }, []float64{3 * math.Expm1(-2), 3 * math.Expm1(-0.25), 0, 0.75, 6}},
		{"Celu", func(d, x []float64) { Celu(d, x, 2) }, []float64{2 * math.Expm1(-1), 2 * math.Expm1(-0.125), 0, 0.25, 2}},
		{"HardSigmoid", func(d, x []float64) { HardSigmoid(d, x, 1, 0.5) }, []float64{0, 0.25, 0.5, 0.75, 1}},
		{"ThresholdedRelu", func(d, x []float64) { ThresholdedRelu(d, x, 0.25) }, []float64{0, 0, 0, 0, 2}},
		{"Shrink", func(d, x []float64) { Shrink(d, x, 0.5, 1) }, []float64{-1.5, 0, 0, 0, 1.5}},
		{"Swish", func(d, x []float64) { Swish(d, x, 0) }, []float64{-1, -0.125, 0, 0.125, 1}},
		{"SwiGLU", func(d, x []float64) { SwiGLU(d, x, x, 0) }, []float64{2, 0.03125, 0, 0.03125, 2}},
		{"Clip", func(d, x []float64) { Clip(d, x, []float64{-1}, []float64{1}) }, []float64{-1, -0.25, 0, 0.25, 1}},
		{"Clip below", func(d, x []float64) { Clip(d, x, []float64{0}, nil) }, []float64{0, 0, 0, 0.25, 2}},
		{"Clip with low above high", func(d, x []float64) { Clip(d, x, []float64{3}, []float64{1}) }, []float64{1, 1, 1, 1, 1}},
		{"PRelu", func(d, x []float64) { PRelu(d, x, []float64{2}) }, []float64{-4, -0.5, 0, 0.25, 2}},
	} {
		got := make([]float64, len(x))
		c.f(got, x)
		agree(t, c.name, got, c.want, 1e-12)
	}
}

// TestIntegers tests kernels of two integers, with operands of the result's length.
func TestIntegers(t *testing.T) {
	for _, c := range []struct {
		name       string
		f          func(dst, a, b []int8)
		a, b, want []int8
	}{
		{"Add", Add[int8], []int8{1, 127}, []int8{2, 1}, []int8{3, -128}},
		{"Div", Div[int8], []int8{7, -7, -128}, []int8{2, 2, -1}, []int8{3, -3, -128}},
		{"Mod", Mod[int8], []int8{7, -7, 7, -7}, []int8{3, 3, -3, -3}, []int8{1, 2, -2, -1}},
		{"Fmod", Fmod[int8], []int8{7, -7, 7, -7}, []int8{3, 3, -3, -3}, []int8{1, -1, 1, -1}},
		{"Pow", Pow[int8], []int8{3, 2, -1, -1, 1, 2, 0}, []int8{4, 7, -3, -128, -5, -1, 0}, []int8{81, -128, -1, 1, 1, 0, 1}},
		{"ShiftLeft", ShiftLeft[int8], []int8{1, 1, 1}, []int8{7, 8, -1}, []int8{-128, 0, 0}},
		{"ShiftRight", ShiftRight[int8], []int8{-128, -128, 64, -1}, []int8{7, 100, 8, -1}, []int8{-1, -1, 0, -1}},
		{"BitwiseXor", BitwiseXor[int8], []int8{5, -1}, []int8{3, 1}, []int8{6, -2}},
		{"Max", Max[int8], []int8{5, -1}, []int8{3, 1}, []int8{5, 1}},
	} {
		got := make([]int8, len(c.a))
		c.f(got, c.a, c.b)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s gives %d, want %d", c.name, got, c.want)
		}
		for i := range c.a { // one element stands for all
			c.f(got, c.a, c.b[i:i+1])
			left := slices.Repeat(c.a[i:i+1], len(got))
			c.f(left, left[:1:1], c.b[i:i+1])
			if got[i] != c.want[i] || left[0] != c.want[i] {
				t.Errorf("%s of %d and %d gives %d and %d, want %d", c.name, c.a[i], c.b[i], got[i], left[0], c.want[i])
			}
		}
	}
}

// TestFloatMod checks the remainders of floats, including infinities and zeros.
func TestFloatMod(t *testing.T) {
	a := []float64{5.5, -5.5, 5.5, 0, 1, -1, inf, 1}
	b := []float64{2, 2, -2, -3, inf, inf, 2, 0}
	got := make([]float64, len(a))
	Mod(got, a, b)
	agree(t, "Mod", got, []float64{1.5, 0.5, -0.5, 0, 1, inf, nan, nan}, 0)
	if !math.Signbit(got[3]) {
		t.Error("Mod of 0 and -3 is 0, want -0")
	}
	Fmod(got, a, b)
	agree(t, "Fmod", got, []float64{1.5, -1.5, 1.5, 0, 1, -1, nan, nan}, 0)
}

// TestPowConst compares the special cases of exponents with the general one.
func TestPowConst(t *testing.T) {
	x := []float64{-inf, -2, math.Copysign(0, -1), 0, 0.3, 7, inf, nan}
	for _, e := range []float64{1, 2, 3, 0.5} {
		got, want := make([]float64, len(x)), make([]float64, len(x))
		Pow(got, x, []float64{e})
		Pow(want, x, slices.Repeat([]float64{e}, len(x)))
		agree(t, "Pow", got, want, 1e-15)
	}
}

// TestDivisionByZero checks that integer divisions by zero fail.
func TestDivisionByZero(t *testing.T) {
	for name, f := range map[string]func(dst, a, b []int32){"Div": Div[int32], "Mod": Mod[int32], "Fmod": Fmod[int32]} {
		if err := failure(func() { f(make([]int32, 1), []int32{1}, []int32{0}) }); err == nil {
			t.Errorf("%s does not fail", name)
		}
	}
}

// failure returns the error of a kernel, or nil.
func failure(f func()) (err *Error) {
	defer func() {
		if r := recover(); r != nil && !errors.As(r.(error), &err) {
			panic(r)
		}
	}()
	f()
	return nil
}

// TestCompare checks comparisons with NaN.
func TestCompare(t *testing.T) {
	a, b := []float64{1, 2, nan, nan}, []float64{2, 2, 1, nan}
	for _, c := range []struct {
		name string
		f    func(dst []bool, a, b []float64)
		want []bool
	}{
		{"Equal", Equal[float64], []bool{false, true, false, false}},
		{"Less", Less[float64], []bool{true, false, false, false}},
		{"LessOrEqual", LessOrEqual[float64], []bool{true, true, false, false}},
		{"Greater", Greater[float64], []bool{false, false, false, false}},
		{"GreaterOrEqual", GreaterOrEqual[float64], []bool{false, true, false, false}},
	} {
		got := make([]bool, len(a))
		c.f(got, a, b)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s gives %v, want %v", c.name, got, c.want)
		}
		for i := range a {
			one := make([]bool, 3)
			c.f(one, slices.Repeat(a[i:i+1], 3), b[i:i+1])
			c.f(got[:3], a[i:i+1], slices.Repeat(b[i:i+1], 3))
			if one[2] != c.want[i] || got[2] != c.want[i] {
				t.Errorf("%s of %v and %v gives %v and %v", c.name, a[i], b[i], one[2], got[2])
			}
		}
	}
}

// TestWhere checks Where with three operands that are broadcast.
func TestWhere(t *testing.T) {
	cond := []bool{true, false}           // [2, 1]
	a, b := []int{1, 2, 3}, []int{-1, -2} // [3], [2, 1, 1]
	got := make([]int, 2*2*3)
	Where(got, cond, a, b, []int{2, 2, 3}, []int{2, 1}, []int{3}, []int{2, 1, 1})
	if want := []int{1, 2, 3, -1, -1, -1, 1, 2, 3, -2, -2, -2}; !slices.Equal(got, want) {
		t.Errorf("got %d, want %d", got, want)
	}
	Where(got[:1], cond[:1], a[:1], b[:1], nil, nil, nil, nil)
	if got[0] != 1 {
		t.Errorf("of scalars: got %d, want 1", got[0])
	}
	Where(nil, cond, nil, b, []int{2, 0}, []int{2, 1}, []int{0}, []int{2, 1})
}

// TestElementwiseAllocs tests that kernels with buffers on their stacks do not allocate.
func TestElementwiseAllocs(t *testing.T) {
	x := randoms(rand.New(rand.NewPCG(1, 2)), 600)
	y, b, u, m := make([]float32, 600), make([]bool, 600), make([]uint8, 600), make([]float32, 20)
	shape, to := []int{10, 30, 2}, []int{10, 1, 2}
	one := []float32{0.5}
	for name, f := range map[string]func(){
		"ReduceSum":       func() { ReduceSum(m, x, shape, to) },
		"ReduceLogSumExp": func() { ReduceLogSumExp(m, x, y[:20], shape, to) },
		"Softmax":         func() { Softmax(y, x, 10, 30, 2) },
		"LogSoftmax":      func() { LogSoftmax(y, x, 20, 30, 1) },
		"Where":           func() { Where(y, b, x, one, shape, shape, shape, nil) },
		"QuantizeLinear":  func() { QuantizeLinear(u, x, m, u[:20], Blocks{Outer: 1, N: 20, Inner: 30, Size: 1, Shared: true}) },
		"Bernoulli":       func() { Bernoulli(u, x, 1) },
		"Dropout":         func() { Dropout(y, b, x, one, []bool{true}, 1) },
		"Broadcast":       func() { Broadcast(y, x, one, Mul, shape, shape, nil) },
	} {
		if n := allocations(10, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}
