package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestOverwrittenOperands: an elementwise kernel may write its result over any of its operands of that size, as generated code
// does when it reads an operand for the last time. The lengths are below and above those that threads share.
func TestOverwrittenOperands(t *testing.T) {
	defer SetThreads(0)
	SetThreads(4)
	eachLevel(t, func(t *testing.T) {
		testOverwritten[float32](t)
		testOverwritten[float64](t)
	})
	testOverwrittenIntegers[int8](t)
	testOverwrittenIntegers[uint64](t)
}

func testOverwritten[T Float](t *testing.T) {
	unary := map[string]func(dst, x []T){
		"Abs": Abs[T], "Neg": Neg[T], "Sign": Sign[T], "Ceil": Ceil[T], "Round": Round[T], "Exp": Exp[T], "Sqrt": Sqrt[T], "Erf": Erf[T],
		"Reciprocal": Reciprocal[T], "Tanh": Tanh[T], "Sigmoid": Sigmoid[T], "HardSwish": HardSwish[T], "Softplus": Softplus[T], "Softsign": Softsign[T],
		"Mish": Mish[T], "Gelu": Gelu[T], "GeluTanh": GeluTanh[T], "Relu": Relu[T], "Sin": Sin[T], "Atan": Atan[T],
		"HardSigmoid":     func(d, x []T) { HardSigmoid(d, x, 0.3, 0.4) },
		"Elu":             func(d, x []T) { Elu(d, x, 0.7) },
		"LeakyRelu":       func(d, x []T) { LeakyRelu(d, x, 0.7) },
		"ThresholdedRelu": func(d, x []T) { ThresholdedRelu(d, x, 0.2) },
		"Shrink":          func(d, x []T) { Shrink(d, x, 0.1, 0.2) },
		"Swish":           func(d, x []T) { Swish(d, x, 1) },
		"Swish of 2":      func(d, x []T) { Swish(d, x, 2) },
		"Clip":            func(d, x []T) { Clip(d, x, []T{-0.5}, []T{0.25}) },
		"Clip backwards":  func(d, x []T) { Clip(d, x, []T{0.5}, []T{-0.25}) },
		"Softmax":         func(d, x []T) { Softmax(d, x, 1, len(x), 1) },
		"LogSoftmax":      func(d, x []T) { LogSoftmax(d, x, 1, len(x), 1) },
		"LpNorm":          func(d, x []T) { LpNorm(d, x, make([]T, 1), len(x), 1, 2) },
		"GroupNorm":       func(d, x []T) { GroupNorm(d, x, []T{2}, []T{1}, 1, 1, len(x), 1e-5) },
		"Affine":          func(d, x []T) { Affine(d, x, []T{2}, []T{1}, len(x)) },
		"AffineAct":       func(d, x []T) { AffineAct(d, x, []T{2}, []T{1}, len(x), ActSilu) },
		"Dropout":         func(d, x []T) { Dropout(d, nil, x, []T{0.3}, []bool{true}, 5) },
		"Dropout of none": func(d, x []T) { Dropout(d, nil, x, nil, nil, 5) },
		"CumSum":          func(d, x []T) { CumSum(d, x, []int64{0}, []int{len(x)}, false, true) },
		"Trilu":           func(d, x []T) { Trilu(d, x, nil, 1, len(x), true) },
		"RotaryEmbedding": func(d, x []T) {
			o := Rotary{Batch: 1, Seq: 1, Heads: len(x) / 2, Size: 2, Rotated: 2}
			RotaryEmbedding(d[:len(x)/2*2], x, []T{0.6}, []T{0.8}, nil, o)
		},
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for name, f := range unary {
		for _, n := range []int{1, 7, 33, 3*vecTurn + 5} {
			x := uniform[T](rng, n)
			want := make([]T, n)
			f(want, slices.Clone(x))
			f(x, x)
			if name == "RotaryEmbedding" {
				x, want = x[:n/2*2], want[:n/2*2]
			}
			sameElements(t, fmt.Sprintf("%s of %d", name, n), x, want)
		}
	}
	testOverwrittenBinaries(t, map[string]func(dst, a, b []T){
		"Add": Add[T], "Sub": Sub[T], "Mul": Mul[T], "Div": Div[T], "Max": Max[T], "Min": Min[T], "Pow": Pow[T], "Mod": Mod[T], "Fmod": Fmod[T],
		"Atan2": Atan2[T], "PRelu": PRelu[T],
		"ReluGrad": each(ReluGrad[T]), "GeluGrad": each(GeluGrad[T]), "GeluTanhGrad": each(GeluTanhGrad[T]),
		"SwiGLU":      each(func(d, a, b []T) { SwiGLU(d, a, b, 1) }),
		"SwiGLU of 2": each(func(d, a, b []T) { SwiGLU(d, a, b, 2) }),
		"Select": func(d, a, b []T) {
			cond := make([]bool, len(d))
			for i := range cond {
				cond[i] = i%3 == 1
			}
			Select(d, cond, a, b)
		},
	}, func(n int) []T { return uniform[T](rng, n) })
}

// each is f for operands that all have the length of the result.
func each[T any](f func(dst, a, b []T)) func(dst, a, b []T) {
	return func(dst, a, b []T) {
		if len(a) == len(b) {
			f(dst, a, b)
		}
	}
}

func testOverwrittenIntegers[T Integer](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	testOverwrittenBinaries(t, map[string]func(dst, a, b []T){
		"Add": Add[T], "Sub": Sub[T], "Mul": Mul[T], "Div": Div[T], "Max": Max[T], "Min": Min[T], "Pow": Pow[T], "Mod": Mod[T], "Fmod": Fmod[T],
		"ShiftLeft": ShiftLeft[T], "ShiftRight": ShiftRight[T], "BitwiseAnd": BitwiseAnd[T], "BitwiseOr": BitwiseOr[T], "BitwiseXor": BitwiseXor[T],
	}, func(n int) []T {
		x := make([]T, n)
		for i := range x {
			if x[i] = T(rng.Uint64()); x[i] == 0 {
				x[i] = 1
			}
		}
		return x
	})
}

// testOverwrittenBinaries writes the result over either operand, beside one of the same length, one of one element, and itself.
func testOverwrittenBinaries[T Number](t *testing.T, kernels map[string]func(dst, a, b []T), draw func(n int) []T) {
	t.Helper()
	for name, f := range kernels {
		for _, n := range []int{1, 7, 33, 2*vecTurn + 5} {
			for _, m := range []int{1, n} {
				x, other := draw(n), draw(m)
				left, right, both := make([]T, n), make([]T, n), make([]T, n)
				f(left, x, other)
				f(right, other, x)
				f(both, x, x)
				if m != n && slices.Equal(left, make([]T, n)) {
					continue // not for operands of one element
				}
				what := fmt.Sprintf("%s of %d and %d", name, n, m)
				y := slices.Clone(x)
				f(y, y, other)
				sameElements(t, what+" over the first", y, left)
				copy(y, x)
				f(y, other, y)
				sameElements(t, what+" over the second", y, right)
				copy(y, x)
				f(y, y, y)
				sameElements(t, what+" over both", y, both)
			}
		}
	}
}

// sameElements reports the first element that differs; NaN is NaN.
func sameElements[T Number](t *testing.T, what string, got, want []T) {
	t.Helper()
	for i, w := range want {
		if v := got[i]; v != w && (v == v || w == w) {
			t.Errorf("%s: element %d is %v, want %v", what, i, v, w)
			return
		}
	}
}
