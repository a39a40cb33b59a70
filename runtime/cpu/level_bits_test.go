package cpu

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"
)

// Peers with different processors compute the same bits: the vector levels of all architectures agree on
// products and on elementwise functions, and so do all portable levels.
func TestBitsOfLevels(t *testing.T) {
	const portable, vector = 0x5e7eda4824e72854, 0x4e504e2d0ab0f2cd
	eachLevel(t, func(t *testing.T) {
		want := uint64(vector)
		if level == Portable {
			want = portable
		}
		if got := bitsOfLevel(); got != want {
			t.Errorf("got %#x, want %#x", got, want)
		}
	})
}

// bitsOfLevel returns a hash of results at the level for fixed inputs.
func bitsOfLevel() uint64 {
	rng := rand.New(rand.NewPCG(1, 2))
	h := fnv.New64a()
	note := func(x []float32) {
		for _, v := range x {
			h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
		}
	}
	shapes(rng, func(m, k, n int) {
		dst := make([]float32, m*n)
		Gemm32(dst, randoms(rng, m*k), randoms(rng, k*n), GemmShape{M: m, K: k, N: n, Alpha: 1})
		note(dst)
	})
	for _, f := range []func(dst, x []float32){VecExp32, VecLog32, VecTanh32, VecSigmoid32, VecErf32, VecGelu32, VecSilu32, VecSoftmax32} {
		x := randoms(rng, 1000)
		f(x, x)
		note(x)
	}
	return h.Sum64()
}
