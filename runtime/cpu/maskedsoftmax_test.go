package cpu

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A masked softmax and its gradient have the results of their parts, for masks of several shapes, at every
// level and for any number of threads.
func TestMaskedSoftmax(t *testing.T) {
	defer SetThreads(0)
	rng := rand.New(rand.NewPCG(5, 6))
	shape := []int{3, 2, 53, 37} // more than a turn
	n := volume(shape)
	x, dy, all := randoms(rng, n), randoms(rng, n), make([]bool, n)
	for i := range all {
		all[i] = rng.IntN(3) > 0
	}
	const scale, hidden = 0.25, -1e9
	eachLevel(t, func(t *testing.T) {
		for _, ms := range [][]int{{3, 2, 53, 37}, {53, 37}, {1, 2, 1, 37}, {3, 1, 53, 1}, {1}, {37}} {
			mask := all[:volume(ms)]
			p, g := make([]float32, n), make([]float32, n)
			Mul(p, x, []float32{scale})
			Where(p, mask, p, []float32{hidden}, shape, ms, shape, nil)
			Softmax(p, p, n/37, 37, 1)
			SoftmaxGrad(g, dy, p, n/37, 37, 1)
			Where(g, mask, g, []float32{0}, shape, ms, shape, nil)
			Mul(g, g, []float32{scale})
			for _, threads := range []int{1, 3} {
				SetThreads(threads)
				y, dx := make([]float32, n), make([]float32, n)
				MaskedSoftmax(y, x, mask, scale, hidden, shape, ms)
				MaskedSoftmaxGrad(dx, dy, y, mask, scale, shape, ms)
				for i := range y {
					if !sameValue(y[i], p[i]) || !sameValue(dx[i], g[i]) {
						t.Fatalf("mask %v: %v and %v at %d, want %v and %v", ms, y[i], dx[i], i, p[i], g[i])
					}
				}
				if a := allocations(5, func() { MaskedSoftmax(y, x, mask, scale, hidden, shape, ms) }); a > 0 {
					t.Errorf("%v allocations", a)
				}
			}
			x64, dy64, y64, dx64 := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
			for i := range x {
				x64[i], dy64[i] = float64(x[i]), float64(dy[i])
			}
			MaskedSoftmax(y64, x64, mask, scale, hidden, shape, ms)
			MaskedSoftmaxGrad(dx64, dy64, y64, mask, scale, shape, ms)
			for i := range y64 {
				if !(math.Abs(y64[i]-float64(p[i])) <= 1e-5) || !(math.Abs(dx64[i]-float64(g[i])) <= 1e-5) {
					t.Fatalf("mask %v: %v and %v at %d in float64, %v and %v in float32", ms, y64[i], dx64[i], i, p[i], g[i])
				}
			}
		}
	})
}

// All threads have a share of many rows, also if each row has a mask of its own, or all have the same one.
func TestMaskedSoftmaxShares(t *testing.T) {
	shape := []int{8, 4, 64, 64}
	n := volume(shape)
	for _, ms := range [][]int{shape, {64, 64}, {1, 4, 1, 64}, {8, 1, 64, 1}, {64}, {1}} {
		m := maskedSoftmax[float32]{dst: make([]float32, n)}
		if turns, want := m.share(shape, ms), n/rowTurn; turns < want {
			t.Errorf("mask %v: %d turns, want at least %d", ms, turns, want)
		}
	}
}
