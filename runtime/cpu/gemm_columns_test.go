package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// transposed returns the transpose of a k×m matrix.
func transposed(a []float32, k, m int) []float32 {
	t := make([]float32, len(a))
	transposeGo(t, a, k, m, k, m)
	return t
}

// TestGemmColumns: a product that reads the columns of a where they are has the bits of one with the transpose of a, for all numbers
// of rows and columns of a tile, and for sums in several parts.
func TestGemmColumns(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		check := func(m, k, n int) {
			a, b := randoms(rng, k*m), randoms(rng, k*n)
			want := make([]float32, m*n)
			MatMul32(want, transposed(a, k, m), b, m, k, n)
			got, guards := guarded(m * n)
			Gemm32(got, a, b, GemmShape{M: m, K: k, N: n, TransA: true, Alpha: 1})
			guards(t)
			if !slices.Equal(got, want) {
				t.Fatalf("%d×%d×%d: other bits than with a transposed", m, k, n)
			}
		}
		for m := range 35 {
			for _, n := range []int{9, 16, 24, 25, 32, 47, 64, 80} {
				check(m, 1+rng.IntN(9), n)
			}
		}
		check(64, 2*blockK+3, 48)
		check(1024, 9, 40)
	})
}

// TestBatchMatMulForms compares the batches of products with one operand transposed, and those whose columns fill no panel, with single
// products, bit for bit: for few products, which are divided, and for many.
func TestBatchMatMulForms(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(7, 8))
		for _, s := range []MatMulShape{{64, 64, 16}, {16, 64, 64}, {7, 5, 9}, {30, 17, 8}, {12, 40, 24}, {33, 600, 48}, {9, 3, 100}} {
			for _, batch := range []int{2, 13} {
				a, b := randoms(rng, batch*s.M*s.K), randoms(rng, batch*s.K*s.N)
				var want, ta, tb []float32
				for i := range batch {
					x, y := row(a, i, s.M*s.K), row(b, i, s.K*s.N)
					c := make([]float32, s.M*s.N)
					MatMul32(c, x, y, s.M, s.K, s.N)
					want = append(want, c...)
					ta = append(ta, transposed(x, s.M, s.K)...)
					tb = append(tb, transposed(y, s.K, s.N)...)
				}
				same := func(form string, f func(dst []float32)) {
					t.Helper()
					dst, guards := guarded(len(want))
					f(dst)
					guards(t)
					if !slices.Equal(dst, want) {
						t.Fatalf("%s, %d products of %v: other bits than single products", form, batch, s)
					}
				}
				same("plain", func(dst []float32) { BatchMatMul32(dst, a, b, batch, s, s.M*s.K, s.K*s.N) })
				same("T", func(dst []float32) { BatchMatMulT32(dst, a, tb, batch, s, s.M*s.K, s.K*s.N) })
				same("TA", func(dst []float32) { BatchMatMulTA32(dst, ta, b, batch, s, s.M*s.K, s.K*s.N) })
			}
		}
	})
}

// TestGemmBiasInSums: a bias for each column has the bits of one that is added to the product afterwards.
func TestGemmBiasInSums(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(9, 10))
		for _, s := range [][3]int{{1, 3, 5}, {20, 7, 1}, {5, 0, 4}, {70, 600, 33}, {40, 9, 64}} {
			m, k, n := s[0], s[1], s[2]
			a, b, c := randoms(rng, m*k), randoms(rng, k*n), randoms(rng, n)
			want := make([]float32, m*n)
			MatMul32(want, a, b, m, k, n)
			for i := range m {
				VecAdd32(row(want, i, n), row(want, i, n), c)
			}
			for _, shape := range [][]int{{n}, {1, n}} {
				got, guards := guarded(m * n)
				Gemm(got, a, b, c, GemmShape{M: m, K: k, N: n, Alpha: 1, Beta: 1}, shape)
				guards(t)
				if !slices.Equal(got, want) {
					t.Fatal(fmt.Sprint(s, shape, ": other bits than with the bias added afterwards"))
				}
			}
		}
	})
}

// TestGemmWide: a product with many columns of a b given by its transpose has the bits of one with b, and is computed without
// transposing b.
func TestGemmWide(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(11, 12))
		for _, s := range [][3]int{{8, 9, 32}, {10, 40, 41}, {33, 600, 132}, {64, 20, 300}, {40, 3, 500}} {
			m, k, n := s[0], s[1], s[2]
			a, b, bias := randoms(rng, m*k), randoms(rng, k*n), randoms(rng, n)
			want := make([]float32, m*n)
			Gemm(want, a, b, bias, GemmShape{M: m, K: k, N: n, Alpha: 1, Beta: 1}, []int{n})
			shape := GemmShape{M: m, K: k, N: n, TransB: true, Alpha: 1, Beta: 1}
			got, guards := guarded(m * n)
			Gemm(got, a, transposed(b, k, n), bias, shape, []int{n})
			guards(t)
			if !slices.Equal(got, want) {
				t.Fatalf("%v: other bits than with b", s)
			}
			if shape.Beta = 0; shape.isWide() != (level != Portable) {
				t.Errorf("%v: its transpose is computed: %v", s, shape.isWide())
			}
		}
	})
}
