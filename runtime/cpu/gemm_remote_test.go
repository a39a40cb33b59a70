package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFewRowsOfLargeWeights shows that products of up to seven rows with weights that no cache holds have the bits of
// each row alone, with a bias, another summand and an activation.
func TestFewRowsOfLargeWeights(t *testing.T) {
	const k, n = 1030, 1057
	rng := rand.New(rand.NewPCG(7, 8))
	b, bias := randoms(rng, k*n), randoms(rng, n)
	packed := make([]float32, PackB32Size(k, n))
	PackB32(packed, b, k, n)
	eachLevel(t, func(t *testing.T) {
		for m := 3; m <= 7; m++ {
			a, res := randoms(rng, m*k), randoms(rng, m*n)
			dst, check := guarded(m * n)
			MatMulPackedAdd32(dst, a, packed, bias, res, MatMulShape{M: m, K: k, N: n}, ActRelu)
			check(t)
			want := make([]float32, n)
			for i := range m {
				MatMulPackedAdd32(want, a[i*k:(i+1)*k], packed, bias, res[i*n:(i+1)*n], MatMulShape{M: 1, K: k, N: n}, ActRelu)
				if !slices.Equal(dst[i*n:(i+1)*n], want) {
					t.Errorf("row %d of %d has other bits than alone", i, m)
				}
			}
		}
	})
}
