package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPoolPlanes compares pools of float32 with those of float64, which take one tap after the other, on any number of threads.
func TestPoolPlanes(t *testing.T) {
	defer SetThreads(0)
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for range 200 {
			var in, kernel, stride, dilation, pad, padEnd []int
			for range 1 + rng.IntN(3) {
				k, d := 1+rng.IntN(4), 1+rng.IntN(2)
				in = append(in, 1+k*d+rng.IntN(20))
				kernel, dilation, stride = append(kernel, k), append(dilation, d), append(stride, 1+rng.IntN(3))
				pad, padEnd = append(pad, rng.IntN(k)), append(padEnd, rng.IntN(k))
			}
			win, planes, padded := window(in, kernel, stride, dilation, pad, padEnd), 1+rng.IntN(9), rng.IntN(2) == 0
			x := make([]float32, planes*sizeOf(in))
			wide := make([]float64, len(x))
			for i := range x {
				x[i] = float32(rng.IntN(1000)) / 8 // sums of these are exact
				wide[i] = float64(x[i])
			}
			n := planes * sizeOf(win.Out)
			want, most := make([]float64, n), make([]float64, n)
			AveragePool(want, wide, planes, padded, win)
			MaxPool(most, wide, planes, win)
			for _, threads := range []int{1, 4} {
				SetThreads(threads)
				got := make([]float32, n)
				AveragePool(got, x, planes, padded, win)
				if !slices.EqualFunc(got, want, func(a float32, b float64) bool { return math.Abs(float64(a)-b) <= 1e-6*math.Abs(b) }) {
					t.Fatalf("%+v, padded %v, %d threads: averages are %v, want %v", win, padded, threads, got, want)
				}
				MaxPool(got, x, planes, win)
				if !slices.EqualFunc(got, most, func(a float32, b float64) bool { return float64(a) == b }) {
					t.Fatalf("%+v, %d threads: largest elements are %v, want %v", win, threads, got, most)
				}
			}
		}
	})
}
