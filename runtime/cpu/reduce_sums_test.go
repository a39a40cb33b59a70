package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// reductions32 are the reductions of float32 that kernels compute, with the terms that they add up.
var reductions32 = []struct {
	name   string
	reduce func(dst, x []float32, shape, to []int)
	row    func(x []float32) float32
	term   func(x float64) float64
}{
	{"ReduceSum", ReduceSum[float32], VecSum32, func(x float64) float64 { return x }},
	{"ReduceSumSquare", ReduceSumSquare[float32], func(x []float32) float32 { return VecDot32(x, x) }, func(x float64) float64 { return x * x }},
	{"ReduceL1", ReduceL1[float32], vecSumAbs, math.Abs},
}

// TestReduceShortRows: rows that are summed at once have the bits of sums of each of them, whatever is in the other rows.
func TestReduceShortRows(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		for n := 1; n < 70; n++ {
			rows := rng.IntN(70) + 1
			x := randoms(rng, rows*n)
			for i, v := range []float32{float32(nan), float32(inf), float32(-inf), float32(math.Copysign(0, -1))} {
				x[(i*n+i)%len(x)] = v
			}
			for _, c := range reductions32 {
				got, check := guarded(rows)
				c.reduce(got, x, []int{rows, n}, []int{rows, 1})
				check(t)
				for i, v := range got {
					want := c.row(row(x, i, n))
					if !sameValue(v, want) || v == v && math.Float32bits(v) != math.Float32bits(want) {
						t.Fatalf("%s: row %d of %d elements: got %v, want %v", c.name, i, n, v, want)
					}
				}
			}
		}
	})
}

// TestReduceColumns compares sums of columns, of one matrix and of several, with those of float64.
func TestReduceColumns(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(7, 8))
		for n := 1; n < 300; n += 1 + n/20 {
			for _, outer := range []int{1, 3} {
				rows := rng.IntN(50) + 2
				x := randoms(rng, outer*rows*n)
				for _, c := range reductions32 {
					want := make([]float64, outer*n)
					for i, v := range x {
						want[i/(rows*n)*n+i%n] += c.term(float64(v))
					}
					got, check := guarded(outer * n)
					c.reduce(got, x, []int{outer, rows, n}, []int{outer, 1, n})
					check(t)
					agree(t, c.name, widen64(got), want, 1e-5)
				}
			}
		}
	})
}

// TestNormsOfShortRows: rows that are normalized at once have the bits of each of them, also in place.
func TestNormsOfShortRows(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(9, 10))
		for n := 1; n < 70; n++ {
			rows := rng.IntN(70) + 1
			x, scale, bias := randoms(rng, rows*n), randoms(rng, n), randoms(rng, n)
			x[rng.IntN(len(x))] = float32(nan)
			clear(row(x, rng.IntN(rows), n))
			for name, norm := range map[string]func(dst, x []float32){
				"LayerNorm": func(dst, x []float32) { LayerNorm(dst, nil, nil, x, scale, bias, n, 1e-5) },
				"L2Norm":    func(dst, x []float32) { L2Norm(dst, x, n, 0.5) },
			} {
				want := make([]float32, rows*n)
				for i := range rows {
					norm(row(want, i, n), row(x, i, n))
				}
				got, check := guarded(rows * n)
				norm(got, x)
				check(t)
				inPlace := slices.Clone(x)
				norm(inPlace, inPlace)
				for i := range rows {
					w := row(want, i, n)
					if g, p := row(got, i, n), row(inPlace, i, n); !slices.EqualFunc(g, w, sameValue) || !slices.EqualFunc(p, w, sameValue) {
						t.Fatalf("%s: row %d of %d, of %d elements: got %v, in place %v, want %v", name, i, rows, n, g, p, w)
					}
				}
			}
		}
	})
}

// TestL2Norm: vectors shorter than the least norm are divided by that.
func TestL2Norm(t *testing.T) {
	x := []float64{3, -4, 0, 0, 0.25, 0}
	y := make([]float64, len(x))
	L2Norm(y, x, 2, 0.5)
	about(t, "float64", y, 0.6, -0.8, 0, 0, 0.5, 0)
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(11, 12))
		for n := 1; n < 140; n++ {
			rows := rng.IntN(40) + 1
			x := randoms(rng, rows*n)
			want := make([]float64, len(x))
			L2Norm(want, widen64(x), n, 2)
			got := make([]float32, len(x))
			L2Norm(got, x, n, 2)
			about(t, "float32", got, want...)
		}
	})
	L2Norm[float32](nil, nil, 0, 1)
}
