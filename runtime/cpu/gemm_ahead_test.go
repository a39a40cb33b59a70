package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Products with large distances between rows, copied or not, have the results of the single rows.
func TestLargeProductsSameBits(t *testing.T) {
	if testing.Short() {
		t.Skip("large products")
	}
	defer SetThreads(0)
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(13, 14))
		for _, s := range [][3]int{{517, 1024, 600}, {530, 1030, 300}, {701, 500, 289}} {
			m, k, n := s[0], s[1], s[2]
			a, b := randoms(rng, m*k), randoms(rng, k*n)
			packed := make([]float32, PackB32Size(k, n))
			PackB32(packed, b, k, n)
			for threads := 1; threads <= 2; threads++ {
				SetThreads(threads)
				raw, got := make([]float32, m*n), make([]float32, m*n)
				MatMul32(raw, a, b, m, k, n)
				MatMulPacked32(got, a, packed, nil, m, k, n, ActNone)
				if !slices.Equal(raw, got) {
					t.Errorf("%d×%d×%d with %d threads: packing changes the product", m, k, n, threads)
				}
				want := make([]float32, n)
				for i := 0; i < m; i += 7 {
					MatMulPacked32(want, a[i*k:(i+1)*k], packed, nil, 1, k, n, ActNone)
					if !slices.Equal(got[i*n:(i+1)*n], want) {
						t.Fatalf("%d×%d×%d with %d threads: row %d differs from that row alone", m, k, n, threads, i)
					}
				}
			}
		}
	})
}
