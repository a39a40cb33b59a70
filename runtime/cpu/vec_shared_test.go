package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Elementwise kernels, broadcasts and copies give the same bits on one thread and on several, and allocate nothing.
func TestSharedLoops(t *testing.T) {
	const n = 9 * 4560
	rng := rand.New(rand.NewPCG(3, 4))
	a, b, row, column := randoms(rng, 3*n), randoms(rng, 3*n), randoms(rng, n), randoms(rng, 3)
	add := Add[float32]
	for name, f := range map[string]func(dst []float32){
		"unary":            func(dst []float32) { Tanh(dst, a) },
		"binary":           func(dst []float32) { Div(dst, a, b) },
		"scalar":           func(dst []float32) { Sub(dst, a, b[:1]) },
		"scalar first":     func(dst []float32) { Sub(dst, b[:1], a) },
		"swiglu":           func(dst []float32) { SwiGLU(dst, a, b, 1) },
		"broadcast row":    func(dst []float32) { Broadcast(dst, a, row, add, []int{3, n}, []int{3, n}, []int{n}) },
		"broadcast column": func(dst []float32) { Broadcast(dst, a, column, add, []int{3, n}, []int{3, n}, []int{3, 1}) },
		"broadcast rows":   func(dst []float32) { Broadcast(dst, a, column, add, []int{n, 3}, []int{n, 3}, []int{3}) },
		"transpose":        func(dst []float32) { Transpose(dst, a, []int{3, n}, []int{1, 0}) },
		"transpose tall":   func(dst []float32) { Transpose(dst, a, []int{n, 3}, []int{1, 0}) },
		"transpose middle": func(dst []float32) { Transpose(dst, a, []int{3, n / 9, 9}, []int{1, 0, 2}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer SetThreads(0)
			SetThreads(1)
			want := make([]float32, 3*n)
			f(want)
			got, check := guarded(3 * n)
			SetThreads(4)
			for range 3 {
				f(got)
			}
			check(t)
			if !slices.Equal(got, want) {
				t.Error("four threads give other bits than one")
			}
			if allocs := testing.AllocsPerRun(5, func() { f(got) }); allocs > 0 {
				t.Errorf("%v allocations", allocs)
			}
		})
	}
}
