package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// guarded returns a slice of n floats between guard values that check checks.
func guarded(n int) (x []float32, check func(t testing.TB)) {
	const guard = -12345.5
	b := make([]float32, n+64)
	for i := range b {
		b[i] = guard
	}
	x = b[32 : 32+n : 32+n]
	return x, func(t testing.TB) {
		t.Helper()
		for i, v := range b {
			if (i < 32 || i >= 32+n) && v != guard {
				t.Fatalf("wrote outside, at %d of %d", i-32, n)
			}
		}
	}
}

func randoms(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = rng.Float32()*2 - 1
	}
	return x
}

// product returns a product in float64, and for each element a bound of the error in float32.
func product(a, b []float32, m, k, n int, transA, transB bool) (c, bound []float64) {
	c, bound = make([]float64, m*n), make([]float64, m*n)
	for i := range m {
		for j := range n {
			sum, abs := 0.0, 0.0
			for l := range k {
				x, y := i*k+l, l*n+j
				if transA {
					x = l*m + i
				}
				if transB {
					y = j*k + l
				}
				p := float64(a[x]) * float64(b[y])
				sum += p
				abs += math.Abs(p)
			}
			c[i*n+j], bound[i*n+j] = sum, float64(k+4)*math.Ldexp(abs+4, -23)
		}
	}
	return c, bound
}

func near(t testing.TB, what string, got []float32, want, bound []float64) {
	t.Helper()
	for i, w := range want {
		if !(math.Abs(float64(got[i])-w) <= bound[i]) {
			t.Fatalf("%s: element %d is %v, want %v ± %v", what, i, got[i], w, bound[i])
		}
	}
}

// shapes are edges around every tile size, a few larger ones and random ones.
func shapes(rng *rand.Rand, f func(m, k, n int)) {
	for _, s := range [][3]int{
		{1, 1, 1}, {1, 0, 5}, {14, 3, 32}, {15, 5, 33}, {6, 7, 16}, {7, 8, 17}, {1, 784, 512}, {3, 70, 129},
		{13, 385, 31}, {29, 769, 65}, {14, 512, 96}, {70, 1024, 40}, {1, 400, 10}, {5, 9, 300}, {200, 20, 600},
	} {
		f(s[0], s[1], s[2])
	}
	for m := range 18 {
		f(m, 1+rng.IntN(9), 1+rng.IntN(70))
		f(1+rng.IntN(9), m, 1+rng.IntN(70))
	}
	for n := range 70 {
		f(1+rng.IntN(30), 1+rng.IntN(20), n)
	}
	for range 40 {
		f(rng.IntN(70), rng.IntN(70), rng.IntN(70))
	}
}

// allShapes adds results with fewer columns than a vector, which have tiles with more rows.
func allShapes(rng *rand.Rand, f func(m, k, n int)) {
	shapes(rng, f)
	for m := range 27 {
		f(m, 1+rng.IntN(9), 1+rng.IntN(8))
	}
}

// TestGemm32 compares Gemm32 with a plain product for many shapes, at each level.
func TestGemm32(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		allShapes(rng, func(m, k, n int) {
			a, b, c0 := randoms(rng, m*k), randoms(rng, k*n), randoms(rng, m*n)
			for trans := range 4 {
				transA, transB := trans&1 != 0, trans&2 != 0
				want, bound := product(a, b, m, k, n, transA, transB)
				for _, ab := range [][2]float32{{1, 0}, {1, 1}, {0.5, 0}, {-2, 0.25}} {
					dst, check := guarded(m * n)
					copy(dst, c0)
					if ab[1] == 0 {
						for i := range dst {
							dst[i] = float32(math.NaN()) // must not be read
						}
					}
					Gemm32(dst, a, b, GemmShape{M: m, K: k, N: n, TransA: transA, TransB: transB, Alpha: float64(ab[0]), Beta: float64(ab[1])})
					check(t)
					w := slices.Clone(want)
					for i := range w {
						w[i] *= float64(ab[0])
						if ab[1] != 0 {
							w[i] += float64(ab[1]) * float64(c0[i])
						}
					}
					near(t, fmt.Sprintf("%d×%d×%d trans %d αβ %v", m, k, n, trans, ab), dst, w, bound)
				}
			}
		})
	})
}

// TestMatMulPacked32 compares MatMulPacked32 with a plain product for many shapes, at each level.
func TestMatMulPacked32(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		allShapes(rng, func(m, k, n int) {
			a, b, bias, res := randoms(rng, m*k), randoms(rng, k*n), randoms(rng, n), randoms(rng, m*n)
			packed, check := guarded(PackB32Size(k, n))
			PackB32(packed, b, k, n)
			check(t)
			product, bound := product(a, b, m, k, n, false, false)
			for flags := range 4 {
				if testing.Short() && (flags == 1 || flags == 2) {
					continue // both or none
				}
				for _, act := range acts {
					bias, res := bias, res
					if flags&1 == 0 {
						bias = nil
					}
					if flags&2 == 0 {
						res = nil
					}
					dst, check := guarded(m * n)
					MatMulPackedAdd32(dst, a, packed, bias, res, MatMulShape{M: m, K: k, N: n}, act)
					check(t)
					want := slices.Clone(product)
					for i := range want {
						if bias != nil {
							want[i] += float64(bias[i%n])
						}
						if res != nil {
							want[i] += float64(res[i])
						}
						want[i] = activations[act](want[i])
					}
					near(t, fmt.Sprintf("%d×%d×%d flags %d act %d", m, k, n, flags, act), dst, want, bound)
				}
			}
		})
	})
}

var activations = [...]func(float64) float64{
	ActNone:        func(x float64) float64 { return x },
	ActRelu:        func(x float64) float64 { return max(x, 0) },
	ActSigmoid:     exactSigmoid,
	ActTanh:        math.Tanh,
	ActGelu:        exactGelu,
	ActGeluTanh:    exactGeluTanh,
	ActSilu:        exactSilu,
	ActRelu6:       func(x float64) float64 { return min(max(x, 0), 6) },
	ActHardSigmoid: exactHardSigmoid,
	ActHardSwish:   func(x float64) float64 { return x * exactHardSigmoid(x) },
}

func exactHardSigmoid(x float64) float64 { return max(0, min(1, x/6+0.5)) }

// The activation of a product has the bits of the separate activation, and keeps NaN.
func TestMatMulPackedActivation(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		const m, n = 14, 48
		a, b := make([]float32, m), make([]float32, n)
		for i := range a {
			a[i] = float32(i) - 7
		}
		a[3] = float32(math.NaN())
		for i := range b {
			b[i] = float32(i)/16 - 1
		}
		packed, plain, got := make([]float32, PackB32Size(1, n)), make([]float32, m*n), make([]float32, m*n)
		PackB32(packed, b, 1, n)
		MatMulPacked32(plain, a, packed, nil, m, 1, n, ActNone)
		for _, act := range acts {
			MatMulPacked32(got, a, packed, nil, m, 1, n, act)
			want := slices.Clone(plain)
			act.apply(want)
			for i, v := range got {
				if v != want[i] && (v == v || want[i] == want[i]) {
					t.Fatalf("act %d of %v: got %v, want %v", act, plain[i], v, want[i])
				}
			}
		}
	})
}

func TestPackB32Layout(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		for _, s := range [][2]int{{1, 1}, {3, 32}, {5, 33}, {64, 64}, {17, 31}, {40, 70}, {16, 10}, {0, 7}, {7, 0}} {
			k, n := s[0], s[1]
			b, bt := randoms(rng, k*n), make([]float32, k*n)
			want := make([]float32, PackB32Size(k, n))
			for l := range k {
				for j := range n {
					bt[j*k+l] = b[l*n+j]
					want[j/32*32*k+l*32+j%32] = b[l*n+j]
				}
			}
			got, check := guarded(len(want))
			PackB32(got, b, k, n)
			check(t)
			if !slices.Equal(got, want) {
				t.Errorf("PackB32 %d×%d differs", k, n)
			}
			got, check = guarded(len(want))
			PackB32T(got, bt, k, n)
			check(t)
			if !slices.Equal(got, want) {
				t.Errorf("PackB32T %d×%d differs", k, n)
			}
		}
	})
}

func TestBatchMatMul32(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(7, 8))
		for _, s := range [][4]int{{1, 3, 4, 5}, {3, 5, 7, 33}, {12, 17, 64, 40}, {2, 1, 30, 70}, {4, 20, 9, 1}, {1, 40, 16, 1}, {5, 14, 20, 64}, {3, 2, 0, 4}} {
			batch, m, k, n := s[0], s[1], s[2], s[3]
			for forms := range 12 {
				strideA, strideB, transB, transA := forms&1*m*k, forms>>1&1*k*n, forms>>2 == 1, forms>>2 == 2
				a, b := randoms(rng, batch*m*k), randoms(rng, batch*k*n)
				dst, check := guarded(batch * m * n)
				switch {
				case transA:
					BatchMatMulTA32(dst, a, b, batch, MatMulShape{M: m, K: k, N: n}, strideA, strideB)
				case transB:
					BatchMatMulT32(dst, a, b, batch, MatMulShape{M: m, K: k, N: n}, strideA, strideB)
				default:
					BatchMatMul32(dst, a, b, batch, MatMulShape{M: m, K: k, N: n}, strideA, strideB)
				}
				check(t)
				for e := range batch {
					want, bound := product(a[e*strideA:], b[e*strideB:], m, k, n, transA, transB)
					near(t, fmt.Sprint(s, forms, e), dst[e*m*n:(e+1)*m*n], want, bound)
				}
			}
		}
	})
}

// The bits of a row do not depend on the threads, nor on other rows.
func TestProductsSameBits(t *testing.T) {
	defer SetThreads(0)
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(9, 10))
		for _, s := range [][3]int{{64, 784, 512}, {1, 784, 512}, {100, 100, 100}, {33, 1000, 65}, {257, 300, 130}} {
			m, k, n := s[0], s[1], s[2]
			a, b, bias := randoms(rng, m*k), randoms(rng, k*n), randoms(rng, n)
			packed := make([]float32, PackB32Size(k, n))
			PackB32(packed, b, k, n)
			want := make([]float32, m*n)
			for i := range m {
				SetThreads(1)
				MatMulPacked32(want[i*n:(i+1)*n], a[i*k:(i+1)*k], packed, bias, 1, k, n, ActGelu)
			}
			for threads := 1; threads <= 3; threads++ {
				SetThreads(threads)
				got := make([]float32, m*n)
				for range 3 {
					clear(got)
					MatMulPacked32(got, a, packed, bias, m, k, n, ActGelu)
					if !slices.Equal(got, want) {
						t.Fatalf("%d×%d×%d with %d threads differs from row after row", m, k, n, threads)
					}
				}
			}
		}
	})
}

// TestProductsSameBitsAVX2AndAVX512 checks that products have the same bits at both levels.
func TestProductsSameBitsAVX2AndAVX512(t *testing.T) {
	if SetLevel(SetLevel(AVX512)) != AVX512 {
		t.Skip("this machine has no AVX-512")
	}
	rng := rand.New(rand.NewPCG(11, 12))
	shapes(rng, func(m, k, n int) {
		a, b := randoms(rng, m*k), randoms(rng, k*n)
		var got [2][]float32
		for i, l := range []Level{AVX2, AVX512} {
			old := SetLevel(l)
			got[i] = make([]float32, m*n)
			MatMul32(got[i], a, b, m, k, n)
			SetLevel(old)
		}
		if !slices.Equal(got[0], got[1]) {
			t.Fatalf("%d×%d×%d differs", m, k, n)
		}
	})
}

// TestProductsDoNotAllocate checks that products allocate no memory.
func TestProductsDoNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	defer SetThreads(0)
	const m, k, n = 33, 600, 70
	a, b, dst := make([]float32, m*k), make([]float32, k*n), make([]float32, m*n)
	packed := make([]float32, PackB32Size(k, n))
	halves := make([]tensor.F16, len(packed))
	for threads := 1; threads <= 2; threads++ {
		SetThreads(threads)
		got := allocations(100, func() {
			MatMulPackedAddStored(dst, a, halves, nil, nil, MatMulShape{M: m, K: k, N: n}, ActTanh)
			MatMulPackedAddStored(dst, a, halves, nil, nil, MatMulShape{M: 1, K: k, N: n}, ActTanh)
			MatMul32(dst, a, b, m, k, n)
			PackB32T(packed, b, k, n)
			MatMulPacked32(dst, a, packed, nil, m, k, n, ActTanh)
			BatchMatMul32(dst, a, b, 3, MatMulShape{M: m / 3, K: k / 3, N: n}, m/3*k/3, k/3*n)
		})
		if got != 0 {
			t.Errorf("%d threads: %v allocations", threads, got)
		}
	}
}
