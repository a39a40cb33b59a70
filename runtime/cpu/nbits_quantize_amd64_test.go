//go:build !purego

package cpu

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
)

// The kernels quantize all blocks of a multiple of 16 elements as quantizeNBits does, also those with elements that are not finite, or too small for a scale.
func TestQuantizeNBits(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		special := []float32{0, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 1e-40, -0x1p-101, 0x1p-100, math.MaxFloat32, float32(math.Copysign(0, -1))}
		for _, block := range []int{8, 16, 32, 48, 256} {
			const blocks = 40
			for _, bits := range []int{4, 8} {
				x := randoms(rng, blocks*block)
				for b := range blocks - 10 { // some blocks have a special element, some are full of one
					v := special[b%len(special)]
					x[b*block+rng.IntN(block)] = v
					for i := range block {
						if b%3 == 1 {
							x[b*block+i] = v
						}
					}
				}
				got, want := make([]byte, len(x)), make([]byte, len(x))
				gotBlocks, wantBlocks := make([]nbitsBlock, blocks), make([]nbitsBlock, blocks)
				for b := range blocks {
					wantBlocks[b] = quantizeNBits(row(want, b, block), row(x, b, block), bits)
				}
				whole := blocks
				if level == Portable || block < 16 {
					whole = 0
				}
				if n := quantizeWholeNBits(got, x, gotBlocks, block, bits); n != whole {
					t.Fatalf("%d of %d blocks of %d elements are quantized, want %d", n, blocks, block, whole)
				}
				for b := range whole {
					g, w := gotBlocks[b], wantBlocks[b]
					if math.Float32bits(g.step) != math.Float32bits(w.step) && w.step == w.step || g.sum != w.sum || g.start != w.start || !bytes.Equal(row(got, b, block), row(want, b, block)) {
						t.Fatalf("block %d of %d elements for %d bits: got %v %v, want %v %v, of %v", b, block, bits, g, row(got, b, block), w, row(want, b, block), row(x, b, block))
					}
				}
			}
		}
	})
}
