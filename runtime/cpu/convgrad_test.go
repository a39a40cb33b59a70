package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// An element that is not finite affects only the gradients of which it is a term, at any place. The float32
// results agree with those of the loop in float64.
func TestConvGradNotFinite(t *testing.T) {
	defer SetThreads(0)
	dense := window([]int{5, 6}, []int{3, 2}, []int{1, 1}, []int{1, 3}, []int{1, 0}, []int{2, 0})
	line := window([]int{7}, []int{3}, []int{1}, []int{1}, []int{0}, []int{0})
	eachLevel(t, func(t *testing.T) {
		for _, threads := range []int{1, 4} {
			SetThreads(threads)
			for _, filters := range []int{4, 2 * (fewFilters + 1)} {
				for _, win := range []Window{dense, line} {
					testConvGradNotFinite(t, fmt.Sprintf("%d threads, %d filters, %v", threads, filters, win.In), filters, win)
				}
			}
		}
	})
}

func testConvGradNotFinite(t *testing.T, what string, filters int, win Window) {
	const images, channels, groups = 2, 4, 2
	in, out, taps := volume(win.In), volume(win.Out), volume(win.Kernel)
	x, dy, w := gaussians[float64](images*channels*in), gaussians[float64](images*filters*out), gaussians[float64](filters*channels/groups*taps)
	cols := make([]float64, channels/groups*taps*out)
	eachNotFinite(t, what+": ConvGradWeight", len(w), x, dy, func(d, x, dy []float64) {
		ConvGradWeight(d, dy, x, cols, ConvShape{Images: images, Channels: channels, Filters: filters, Groups: groups, Window: win})
	}, func(d, x, dy []float32) {
		ConvGradWeight(d, dy, x, nil, ConvShape{Images: images, Channels: channels, Filters: filters, Groups: groups, Window: win})
	})
	eachNotFinite(t, what+": ConvTranspose", len(x), w, dy, func(d, w, dy []float64) {
		ConvTranspose(d, dy, w, nil, cols, ConvShape{Images: images, Channels: filters, Filters: channels, Groups: groups, Window: win})
	}, func(d, w, dy []float32) {
		ConvTranspose(d, dy, w, nil, nil, ConvShape{Images: images, Channels: filters, Filters: channels, Groups: groups, Window: win})
	})
}

// eachNotFinite compares two kernels with n results. It makes each element of a and b in turn not finite, in one of
// three ways that is drawn.
func eachNotFinite(t *testing.T, what string, n int, a, b []float64, exact func(d, a, b []float64), kernel func(d, a, b []float32)) {
	t.Helper()
	r, want, got := rand.New(rand.NewPCG(9, 10)), make([]float64, n), make([]float32, n)
	for _, x := range [][]float64{a, b} {
		for i, old := range x {
			bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[r.IntN(3)]
			x[i] = bad
			exact(want, a, b)
			kernel(got, narrow32(a), narrow32(b))
			x[i] = old
			for k, v := range want {
				if g := float64(got[k]); !same(g, v) && !(math.Abs(g-v) <= 1e-4*(1+math.Abs(v))) {
					t.Fatalf("%s: %v for %v in place %d of %d: result %d is %v, want %v", what, bad, old, i, len(x), k, g, v)
				}
			}
		}
	}
}
