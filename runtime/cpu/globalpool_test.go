package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// exactPower is (Σ|v|^p)^(1/p).
func exactPower(x []float64, p float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Pow(math.Abs(v), p)
	}
	return math.Pow(sum, 1/p)
}

// TestGlobalPools compares pools of whole planes with the definition, for lengths around those of vectors, at each level.
func TestGlobalPools(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		testGlobalPools[float32](t, 1e-5)
		testGlobalPools[float64](t, 1e-13)
	})
}

func testGlobalPools[T Float](t *testing.T, tol float64) {
	const planes = 3
	for _, n := range []int{1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 200} {
		x, wide := gaussians[T](planes*n), gaussians[float64](planes*n)
		for _, p := range []float64{1, 2, 3, 0.5} {
			testGlobalPool(t, fmt.Sprint("GlobalLpPool ", p, n), x, wide, n, tol, func(d []T) { GlobalLpPool(d, x, n, p) }, func(x []float64) float64 { return exactPower(x, p) })
		}
		testGlobalPool(t, fmt.Sprint("GlobalAveragePool ", n), x, wide, n, tol, func(d []T) { GlobalAveragePool(d, x, n) }, func(x []float64) float64 {
			return inner(x, slicesOf(n, 1/float64(n)))
		})
		testGlobalPool(t, fmt.Sprint("GlobalMaxPool ", n), x, wide, n, 0, func(d []T) { GlobalMaxPool(d, x, n) }, func(x []float64) float64 {
			top := -inf
			for _, v := range x {
				top = max(top, v)
			}
			return top
		})
	}
	notNumber, lowest := nan, -inf
	got, x := make([]T, 2), []T{1, T(notNumber), 3, T(lowest), T(lowest), T(lowest)}
	GlobalMaxPool(got, x, 3)
	if got[0] == got[0] || float64(got[1]) != -inf {
		t.Errorf("got %v, want NaN and -Inf", got)
	}
}

func testGlobalPool[T Float](t *testing.T, what string, x []T, wide []float64, n int, tol float64, f func(dst []T), exact func(x []float64) float64) {
	t.Helper()
	dst := make([]T, len(x)/n)
	f(dst)
	got, want := make([]float64, len(dst)), make([]float64, len(dst))
	Cast(got, dst)
	for i := range want {
		want[i] = exact(row(wide, i, n))
	}
	nearly(t, what, got, want, tol)
}

// TestLpPool compares windows with the definition: padding is 0.
func TestLpPool(t *testing.T) {
	for _, w := range gradientWindows {
		in, out := sizeOf(w.In), sizeOf(w.Out)
		x, single := gaussians[float64](2*in), gaussians[float32](2*in)
		for _, p := range []float64{1, 2, 3} {
			got, got32, want := make([]float64, 2*out), make([]float32, 2*out), make([]float64, 2*out)
			for i := range want {
				var taps []float64
				for k := range sizeOf(w.Kernel) {
					if at, ok := placeOf(w, i%out, k); ok {
						taps = append(taps, x[i/out*in+at])
					}
				}
				want[i] = exactPower(taps, p)
			}
			LpPool(got, x, 2, p, w)
			nearly(t, fmt.Sprint(w.In, p), got, want, 1e-13)
			LpPool(got32, single, 2, p, w)
			nearly(t, fmt.Sprint("float32 ", w.In, p), widen64(got32), want, 1e-5)
		}
	}
}

// The mean of images with the channels last, on several threads, which share the channels of one image, is that of each channel.
func TestReduceMeanLast(t *testing.T) {
	defer SetThreads(0)
	rng := rand.New(rand.NewPCG(1, 2))
	eachLevel(t, func(t *testing.T) {
		for _, threads := range []int{1, 4} {
			SetThreads(threads)
			for _, s := range [][3]int{{1, 49, 1000}, {2, 49, 7}, {3, 1, 33}, {1, 400, 513}} {
				images, pixels, channels := s[0], s[1], s[2]
				x, want := randoms(rng, images*pixels*channels), make([]float64, images*channels)
				for i, v := range x {
					want[i/(pixels*channels)*channels+i%channels] += float64(v) / float64(pixels)
				}
				one := []int{1}
				got, check := guarded(len(want))
				ReduceMeanLast32(got, x, images, channels, Window{In: []int{pixels}, Out: one, Kernel: []int{pixels}, Stride: one, Dilation: one, Pad: []int{0}, PadEnd: []int{0}})
				check(t)
				nearly(t, fmt.Sprint(s, threads), widen64(got), want, 1e-6)
			}
		}
	})
	none := slicesOf(3, float32(9))
	ReduceMeanLast32(none, nil, 1, 3, Window{Kernel: []int{0}})
	equal(t, "of no pixels", none, 0, 0, 0)
}

// leibniz is the determinant as the sum over all permutations of columns, by expansion along the first row.
func leibniz(a []float64, n int) float64 {
	if n == 0 {
		return 1
	}
	sum, sign := 0.0, 1.0
	for c := range n {
		var minor []float64
		for i, v := range a {
			if i/n != 0 && i%n != c {
				minor = append(minor, v)
			}
		}
		sum += sign * a[c] * leibniz(minor, n-1)
		sign = -sign
	}
	return sum
}

// TestDetOfMatrices compares determinants and their gradients with sums over permutations, also of singular matrices.
func TestDetOfMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var cases []gradientCase
	for n := 1; n <= 5; n++ {
		x := uniform[float64](rng, 3*n*n)
		copy(x[n*n:2*n*n], slicesOf(n*n, 0.5)) // singular
		x[2*n*n] = 0                           // needs another pivot
		got, got32, want := make([]float64, 3), make([]float32, 3), make([]float64, 3)
		for i := range want {
			want[i] = leibniz(row(x, i, n*n), n)
		}
		Det(got, x, make([]float64, n*n), n)
		nearly(t, fmt.Sprint(n), got, want, 1e-14)
		Det(got32, narrow32(x), make([]float32, n*n), n)
		nearly(t, fmt.Sprint("float32 ", n), widen64(got32), want, 1e-5)
		cases = append(cases, gradientCase{name: fmt.Sprint("of size ", n), sizes: []int{3 * n * n}, out: 3,
			apply: func(y []float64, in [][]float64) {
				for i := range y {
					y[i] = leibniz(row(in[0], i, n*n), n)
				}
			},
			gradient: func(d [][]float64, dy []float64, in [][]float64) { DetGrad(d[0], dy, in[0], make([]float64, n*n), n) },
			prepare:  func(in [][]float64) { copy(in[0], x) }})
	}
	testGradients(t, cases)
}
