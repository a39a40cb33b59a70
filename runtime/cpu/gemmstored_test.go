package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestGemmStored multiplies operands stored in 16 bits: the bits are those of the product of the widened
// operands, unless tiles of bfloat16 compute it (see TestGemmStoredInHalves).
func TestGemmStored(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, s := range [][3]int{{0, 3, 5}, {3, 0, 5}, {1, 1, 1}, {7, 5, 3}, {33, 40, 65}, {300, 70, 20}, {40, 700, 30}, {500, 300, 40}} {
		m, k, n := s[0], s[1], s[2]
		for _, trans := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
			t.Run(fmt.Sprint(s, trans), func(t *testing.T) {
				a, b, bias := randoms(rng, m*k), randoms(rng, k*n), randoms(rng, n)
				f16, bf16 := make([]tensor.F16, m*k), make([]tensor.BF16, k*n)
				CastToSmall(f16, a, true, 0)
				CastToSmall(bf16, b, true, 0)
				wideA, wideB := make([]float32, m*k), make([]float32, k*n)
				CastFromSmall(wideA, f16)
				CastFromSmall(wideB, bf16)
				eachLevel(t, func(t *testing.T) {
					check := func(a, b []float32, product func(dst []float32)) {
						t.Helper()
						want := make([]float32, m*n)
						Gemm32(want, a, b, GemmShape{M: m, K: k, N: n, TransA: trans[0], TransB: trans[1], Alpha: 1})
						for i := range want {
							want[i] += bias[i%n]
						}
						got, guards := guarded(m * n)
						product(got)
						guards(t)
						if !slices.Equal(got, want) {
							t.Errorf("got %v, want %v", got[:min(m*n, 5)], want[:min(m*n, 5)])
						}
					}
					shape := MatMulShape{M: m, K: k, N: n}
					check(wideA, wideB, func(dst []float32) { GemmStored(dst, f16, bf16, bias, shape, trans[0], trans[1]) })
					if !halfWorth(m, k, n) {
						check(a, wideB, func(dst []float32) { GemmStored(dst, a, bf16, bias, shape, trans[0], trans[1]) })
					}
					check(wideA, b, func(dst []float32) { GemmStored(dst, f16, b, bias, shape, trans[0], trans[1]) })
				})
			})
		}
	}
}
