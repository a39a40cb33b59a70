package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// walks is a chain with an operand of each kind.
type walks struct {
	dst, other, x, row, of, rows []float32
	each                         int // the number of consecutive rows with the same element of of and row of rows
	mask                         []bool
}

func (o *walks) Part(p *Part) {
	x, row := o.x[p.Lo:p.Hi], EachRow(p, 0, o.row)
	t, less := Temp[float32](p, 1), Temp[bool](p, 2)
	Mul(t, x, row)
	if o.each > 0 {
		Add(t, t, OfRow(p, 3, o.of, o.each))
		Sub(t, t, RowOf(p, 3, o.rows, o.each))
	}
	Tanh(o.other[p.Lo:p.Hi], t)
	Less(less, x, t)
	copy(o.mask[p.Lo:p.Hi], less)
	Select(o.dst[p.Lo:p.Hi], less, t, []float32{1})
}

// whole returns the expected result of all parts together.
func (o *walks) whole(rows, n int) {
	t := make([]float32, rows*n)
	Broadcast(t, o.x, o.row, mulRow, []int{rows, n}, []int{rows, n}, []int{1, n})
	for r := 0; r < rows && o.each > 0; r++ {
		i := r / o.each % len(o.of)
		Add(row(t, r, n), row(t, r, n), o.of[i:][:1])
		Sub(row(t, r, n), row(t, r, n), row(o.rows, i, n))
	}
	Tanh(o.other, t)
	Less(o.mask, o.x, t)
	Select(o.dst, o.mask, t, []float32{1})
}

// TestInParts compares chains on parts with the same kernels on everything, bit
// for bit.
func TestInParts(t *testing.T) {
	defer SetThreads(0)
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		for _, size := range [][2]int{{1, 1}, {1, 5}, {3, 1}, {7, 9}, {1, 1025}, {40, 49}, {1000, 33}, {30, 513}, {5, 1024}, {3, 1100}, {2, 5000}, {1, 70001}} {
			for _, each := range []int{0, 1, 2} {
				rows, n := size[0], size[1]
				make1 := func() *walks {
					return &walks{dst: make([]float32, rows*n), other: make([]float32, rows*n), mask: make([]bool, rows*n), each: each}
				}
				want := make1()
				own := 1 + rng.IntN(rows)
				want.x, want.row, want.of, want.rows = randoms(rng, rows*n), randoms(rng, n), randoms(rng, own), randoms(rng, own*n)
				want.whole(rows, n)
				for _, threads := range []int{1, 4} {
					SetThreads(threads)
					got := make1()
					got.x, got.row, got.of, got.rows = want.x, want.row, want.of, want.rows
					InParts(got, Parts{Rows: rows, Len: n, ByRow: each > 0, Temps: 4, Calls: 6})
					if !sameBits(got.dst, want.dst) || !sameBits(got.other, want.other) || !slices.Equal(got.mask, want.mask) {
						t.Errorf("%d rows of %d, of their own for %d, %d threads: parts differ from the whole", rows, n, each, threads)
					}
				}
			}
		}
	})
}

func sameBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

// TestPartsOfKernels tests that elementwise kernels, on a part of the elements, have the same part of the
// results, bit for bit, for any begin and end.
func TestPartsOfKernels(t *testing.T) {
	unary := map[string]func(dst, x []float32){
		"Abs": Abs[float32], "Acos": Acos[float32], "Acosh": Acosh[float32], "Asin": Asin[float32], "Asinh": Asinh[float32],
		"Atan": Atan[float32], "Atanh": Atanh[float32], "Ceil": Ceil[float32], "Cos": Cos[float32], "Cosh": Cosh[float32],
		"Erf": Erf[float32], "Exp": Exp[float32], "Floor": Floor[float32], "Gelu": Gelu[float32], "GeluTanh": GeluTanh[float32],
		"HardSwish": HardSwish[float32], "Log": Log[float32], "Log1p": Log1p[float32], "Mish": Mish[float32], "Neg": Neg[float32], "Reciprocal": Reciprocal[float32],
		"Relu": Relu[float32], "Round": Round[float32], "Sigmoid": Sigmoid[float32], "Sign": Sign[float32], "Sin": Sin[float32],
		"Sinh": Sinh[float32], "Softplus": Softplus[float32], "Softsign": Softsign[float32], "Sqrt": Sqrt[float32], "Tan": Tan[float32],
		"Tanh":        Tanh[float32],
		"Trunc":       Trunc[float32],
		"Swish":       func(dst, x []float32) { Swish(dst, x, 1) },
		"Swish of 2":  func(dst, x []float32) { Swish(dst, x, 2) },
		"HardSigmoid": func(dst, x []float32) { HardSigmoid(dst, x, 0.2, 0.5) },
		"Elu":         func(dst, x []float32) { Elu(dst, x, 1.5) },
		"Clip":        func(dst, x []float32) { Clip(dst, x, []float32{-1}, []float32{1}) },
		"Pow 2":       func(dst, x []float32) { Pow(dst, x, []float32{2}) },
		"Pow 3":       func(dst, x []float32) { Pow(dst, x, []float32{3}) },
		"Add 1":       func(dst, x []float32) { Add(dst, x, []float32{1}) },
		"1 -":         func(dst, x []float32) { Sub(dst, []float32{1}, x) },
		"1 /":         func(dst, x []float32) { Div(dst, []float32{1}, x) },
	}
	binary := map[string]func(dst, a, b []float32){
		"Add": Add[float32], "Sub": Sub[float32], "Mul": Mul[float32], "Div": Div[float32], "Max": Max[float32], "Min": Min[float32],
		"Pow": Pow[float32], "Atan2": Atan2[float32], "PRelu": PRelu[float32], "ReluGrad": ReluGrad[float32], "GeluGrad": GeluGrad[float32],
		"GeluTanhGrad": GeluTanhGrad[float32],
		"SwiGLU":       func(dst, a, b []float32) { SwiGLU(dst, a, b, 1) },
		"Select":       func(dst, a, b []float32) { Select(dst, signs(a), a, b) },
		"Select 1":     func(dst, a, b []float32) { Select(dst, signs(b), a, []float32{1}) },
	}
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		a, b := randoms(rng, 300), randoms(rng, 300)
		copy(a[100:], []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 1e-40, -1e-40, 100, -100, 1e38})
		for name, f := range unary {
			parts(t, rng, name, a, a, func(dst, a, _ []float32) { f(dst, a) })
		}
		for name, f := range binary {
			parts(t, rng, name, a, b, f)
		}
	})
}

// signs returns true for elements above 0.
func signs(x []float32) []bool {
	out := make([]bool, len(x))
	for i, v := range x {
		out[i] = v > 0
	}
	return out
}

// parts compares f on all elements with f on parts.
func parts(t *testing.T, rng *rand.Rand, name string, a, b []float32, f func(dst, a, b []float32)) {
	t.Helper()
	want, got := make([]float32, len(a)), make([]float32, len(a))
	f(want, a, b)
	for lo := 0; lo < len(a); {
		hi := min(lo+1+rng.IntN(40), len(a))
		f(got[lo:hi], a[lo:hi], b[lo:hi])
		lo = hi
	}
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Errorf("%s: element %d of %v and %v is %x alone, %x among the others", name, i, a[i], b[i], math.Float32bits(got[i]), math.Float32bits(want[i]))
			return
		}
	}
}

func ExampleInParts() {
	x := []float32{-1, 0, 1}
	c := &silu{x: x, y: make([]float32, 3)}
	InParts(c, Parts{Rows: 1, Len: len(x), Temps: 1, Calls: 2})
	fmt.Printf("%.3f\n", c.y)
	// Output: [-0.269 0.000 0.731]
}

// silu is x·sigmoid(x).
type silu struct{ x, y []float32 }

func (o *silu) Part(p *Part) {
	x, y := o.x[p.Lo:p.Hi], o.y[p.Lo:p.Hi]
	t := Temp[float32](p, 0)
	Sigmoid(t, x)
	Mul(y, x, t)
}
