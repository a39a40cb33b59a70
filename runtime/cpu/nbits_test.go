package cpu

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// nbitsCase is weights of 4 or 8 bits, and their values.
type nbitsCase struct {
	bits        int
	w           []byte // one or two weights each, the first one lower
	scales      []float32
	packedZeros []byte
	exact       []float64 // n×k
}

func newNBitsCase(rng *rand.Rand, k, n, block, bits int, zeros bool) nbitsCase {
	blocks := (k + block - 1) / block
	line, per := (blocks*bits+7)/8, 8/bits
	c := nbitsCase{bits: bits, w: make([]byte, n*blocks*block/per), scales: make([]float32, n*blocks), packedZeros: make([]byte, n*line)}
	for i := range c.w {
		c.w[i] = byte(rng.Uint32())
	}
	for i := range c.packedZeros {
		c.packedZeros[i] = byte(rng.Uint32())
	}
	for i := range c.scales {
		c.scales[i] = float32(rng.NormFloat64())
	}
	for j := range n {
		for l := range k {
			b, at := l/block, j*blocks*block+l
			zero, mask := byte(1<<(bits-1)), byte(1<<bits-1)
			if zeros {
				zero = c.packedZeros[j*line+b/per] >> (b % per * bits) & mask
			}
			q := c.w[at/per] >> (at % per * bits) & mask
			c.exact = append(c.exact, (float64(q)-float64(zero))*float64(c.scales[j*blocks+b]))
		}
	}
	return c
}

// packed returns the case's weights, scales and zeros in the kernel's layout.
func (c *nbitsCase) packed(t *testing.T, k, n, block int, zeros bool) (w []byte, scales, zero []float32) {
	blocks := (k + block - 1) / block
	w = make([]byte, PackNBitsSize(blocks*block, n, c.bits))
	PackNBits(w, c.w, blocks*block, n, c.bits)
	scales, check := guarded(PackB32Size(blocks, n))
	PackB32T(scales, c.scales, blocks, n)
	check(t)
	if zeros {
		zero, check = guarded(PackNBitsZerosSize(blocks, n))
		PackNBitsZeros(zero, c.packedZeros, blocks, n, c.bits)
		check(t)
	}
	return w, scales, zero
}

// Weights are converted to the same bits at each level, from any word on.
func TestWidenNBits(t *testing.T) {
	const k, n = 200, 70
	for i := range 4 {
		bits, zeros := 4<<(i/2), i%2 == 1
		for _, block := range []int{16, 32, 128} {
			c := newNBitsCase(rand.New(rand.NewPCG(3, uint64(i))), k, n, block, bits, zeros)
			w, scales, zero := c.packed(t, k, n, block, zeros)
			b := nbits{w: w, scales: scales, zeros: zero, k: k, n: n, bits: bits, block: block, blocks: (k + block - 1) / block}
			eachLevel(t, func(t *testing.T) {
				for _, part := range [][2]int{{0, k}, {8, 16}, {24, 192}, {32, 96}} {
					got, check := guarded((part[1] - part[0]) * panel)
					b.widen(got, panel, part[0], part[1])
					check(t)
					for at, v := range got {
						l, j := part[0]+at/panel, panel+at%panel
						if want := float32(c.exact[j*k+l]); v != want {
							t.Fatalf("%d bits, zeros %v, blocks of %d: weight %d of column %d is %v, want %v", bits, zeros, block, l, j, v, want)
						}
					}
				}
			})
		}
	}
}

// The last tile prefetches the words that are converted next: those of the next panels, or of the next part of k.
func TestNextNBits(t *testing.T) {
	const k, n, bits, part = 1024, 600, 4, 512
	w := make([]byte, PackNBitsSize(k, n, bits))
	for i := range w {
		w[i] = byte(rand.Uint32())
	}
	g := gemm{k: k, n: n, nbits: nbits{w: w, bits: bits, block: 32, blocks: k / 32}}
	c := gemmBlock{gemm: &g, j1: n, tile: gemmTile{k: part}}
	for _, s := range []struct{ j0, j, next, k int }{
		{0, 0, 256, 0}, {0, 224, 480, 0}, {512, 512, 0, part}, {512, 544, 32, part},
	} {
		got := c.nextNBits(s.j, s.j0)
		at := (s.next*k + s.k*panel) * bits / 8
		if want := binary.LittleEndian.Uint32(w[at:]); len(got) != part*panel*bits/32 || math.Float32bits(got[0]) != want {
			t.Errorf("behind column %d of the block from %d on: %d words from %#x on, want %d from %#x on", s.j, s.j0, len(got), math.Float32bits(got[0]), part*panel*bits/32, want)
		}
	}
}

// Products with weights of 4 and 8 bits have the results of products with their values, for one row and for many.
func TestMatMulNBits(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, s := range []struct{ m, k, n, block int }{
			{1, 16, 1, 16}, {1, 96, 33, 32}, {2, 256, 64, 256}, {3, 256, 40, 128}, {1, 50, 70, 16}, {2, 300, 31, 64},
			{5, 50, 70, 16}, {17, 600, 65, 32}, {40, 1100, 300, 128}, {3, 9, 5, 8}, {400, 520, 33, 16},
		} {
			for i := range 4 {
				bits, zeros := 4<<(i/2), i%2 == 1
				c := newNBitsCase(rng, s.k, s.n, s.block, bits, zeros)
				w, scales, zero := c.packed(t, s.k, s.n, s.block, zeros)
				x, bias := gaussians[float64](s.m*s.k), gaussians[float64](s.n)
				want := make([]float64, s.m*s.n)
				for i := range want {
					want[i] = bias[i%s.n]
					for l := range s.k {
						want[i] += float64(float32(x[i/s.n*s.k+l])) * c.exact[i%s.n*s.k+l]
					}
				}
				got, check := guarded(len(want))
				MatMulNBits(got, narrow32(x), w, scales, zero, narrow32(bias), NBitsShape{M: s.m, K: s.k, N: s.n, Block: s.block, Bits: bits})
				check(t)
				nearly(t, fmt.Sprintf("%+v, %d bits, zeros %v", s, bits, zeros), widen64(got), want, 2e-5*float64(s.k+4))
			}
		}
	})
}

// The bits do not depend on the number of threads.
func TestMatMulNBitsSameBits(t *testing.T) {
	defer SetThreads(0)
	eachLevel(t, func(t *testing.T) {
		const k, n, block = 1024, 700, 32
		c := newNBitsCase(rand.New(rand.NewPCG(1, 2)), k, n, block, 4, true)
		w, scales, zero := c.packed(t, k, n, block, true)
		for name, multiply := range map[string]func(dst, x []float32, w []byte, scales, zeros, bias []float32, s NBitsShape){
			"floats": MatMulNBits, "int8": MatMulNBitsInt8,
		} {
			for _, m := range []int{1, 50} {
				x := gaussians[float32](m * k)
				var want []float32
				for _, threads := range []int{1, 2, 3} {
					SetThreads(threads)
					got := make([]float32, m*n)
					multiply(got, x, w, scales, zero, nil, NBitsShape{M: m, K: k, N: n, Block: block, Bits: 4})
					if want == nil {
						want = got
					}
					if !slices.Equal(got, want) {
						t.Errorf("%s: %d rows differ with %d threads", name, m, threads)
					}
				}
			}
		}
	})
}
