package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestNonZeroRandom compares the indices with those of a loop in order. NaN is not zero, and -0 is.
func TestNonZeroRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		shape := randomShape(rng, 0)
		x, columns := make([]float32, sizeOf(shape)), [][]int{}
		for i := range x {
			x[i] = float32([]float64{0, math.Copysign(0, -1), nan, 1e-45, -inf}[rng.IntN(5)])
		}
		eachIndex(shape, func(at int, index []int) {
			if !(x[at] == 0) {
				columns = append(columns, slices.Clone(index))
			}
		})
		n := NonZeroCount(x)
		if n != len(columns) {
			t.Fatalf("%v: counts %d, want %d", x, n, len(columns))
		}
		got := make([]int64, len(shape)*n)
		NonZero(got, x, shape)
		for j, index := range columns {
			for a, i := range index {
				if v := got[a*n+j]; int(v) != i {
					t.Fatalf("%v of %v: index %d on axis %d is %d, want %d", x, shape, j, a, v, i)
				}
			}
		}
	}
}

// TestCompressRandom keeps the elements whose condition is true; a condition may be shorter or longer than the axis.
func TestCompressRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		outer, n, inner := rng.IntN(3), rng.IntN(5), rng.IntN(3)
		cond := make([]bool, rng.IntN(7))
		for i := range cond {
			cond[i] = rng.IntN(2) == 0
		}
		x, want := counted(outer*n*inner), []int32{}
		for i, v := range x {
			if k := i / inner % n; k < len(cond) && cond[k] {
				want = append(want, v)
			}
		}
		m := CompressCount(cond, n)
		if m*outer*inner != len(want) {
			t.Fatalf("%v of %d: counts %d", cond, n, m)
		}
		got := make([]int32, len(want))
		Compress(got, x, cond, outer, n, inner)
		equal(t, fmt.Sprint(cond), got, want...)
	}
}
