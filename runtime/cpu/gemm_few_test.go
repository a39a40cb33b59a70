package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The bits of a row do not depend on the number of rows that are multiplied with it, also where few columns are computed
// in another way: a product with one column is the transposed product of a row.
func TestFewColumnsSameBits(t *testing.T) {
	defer SetThreads(0)
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(13, 14))
		for _, n := range []int{1, 2, 3, 8, 17} {
			for _, k := range []int{1, 7, 65, 300} {
				for _, f := range []form{{alpha: 1}, {transB: true, alpha: 1}, {transA: true, alpha: 1}, {transA: true, transB: true, alpha: 1}, {alpha: 0.3, beta: 1}, {alpha: 1, beta: 0.7}} {
					f.sameBits(t, rng, k, n)
				}
				samePackedBits(t, rng, k, n)
			}
		}
	})
}

// mostRows is the largest number of rows of which each is compared with the product of it alone.
const mostRows = 40

// form is how a product is computed.
type form struct {
	transA, transB bool
	alpha, beta    float64
}

func (f form) sameBits(t *testing.T, rng *rand.Rand, k, n int) {
	t.Helper()
	a, b, before := randoms(rng, mostRows*k), randoms(rng, k*n), randoms(rng, mostRows*n)
	want := slices.Clone(before)
	for i := range mostRows {
		Gemm32(row(want, i, n), row(a, i, k), b, GemmShape{M: 1, K: k, N: n, TransB: f.transB, Alpha: f.alpha, Beta: f.beta})
	}
	for m := 2; m <= mostRows; m++ {
		SetThreads(1 + m%2)
		x := slices.Clone(a[:m*k])
		if f.transA {
			transposeAll(x, a[:m*k], m, k)
		}
		got := slices.Clone(before[:m*n])
		Gemm32(got, x, b, GemmShape{M: m, K: k, N: n, TransA: f.transA, TransB: f.transB, Alpha: f.alpha, Beta: f.beta})
		if !sameBits(got, want[:m*n]) {
			t.Errorf("rows of a product %d×%d×%d (%+v) differ from the rows alone", m, k, n, f)
		}
	}
}

// samePackedBits is sameBits of the products that generated code calls.
func samePackedBits(t *testing.T, rng *rand.Rand, k, n int) {
	t.Helper()
	a, b := randoms(rng, mostRows*k), randoms(rng, k*n)
	packed := make([]float32, PackB32Size(k, n))
	PackB32(packed, b, k, n)
	for name, multiply := range map[string]func(dst, a []float32, m int){
		"MatMulPacked32": func(dst, a []float32, m int) { MatMulPacked32(dst, a, packed, b[:n], m, k, n, ActRelu) },
		"BatchMatMul32":  func(dst, a []float32, m int) { BatchMatMul32(dst, a, b, 1, MatMulShape{M: m, K: k, N: n}, 0, 0) },
		"of m batches":   func(dst, a []float32, m int) { BatchMatMul32(dst, a, b, m, MatMulShape{M: 1, K: k, N: n}, k, 0) },
	} {
		want := make([]float32, mostRows*n)
		for i := range mostRows {
			multiply(row(want, i, n), row(a, i, k), 1)
		}
		for m := 2; m <= mostRows; m++ {
			SetThreads(1 + m%2)
			got := make([]float32, m*n)
			multiply(got, a[:m*k], m)
			if !sameBits(got, want[:m*n]) {
				t.Errorf("%s %d×%d×%d differs from the rows alone", name, m, k, n)
			}
		}
	}
}
