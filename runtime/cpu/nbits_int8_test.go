package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// quantizedRows returns rows of x, each block rounded to multiples of its scale.
func quantizedRows(x []float32, k, block int) []float64 {
	y := make([]float64, len(x))
	for i := 0; i < len(x); i += k {
		for at := 0; at < k; at += block {
			lo, hi := i+at, i+min(at+block, k)
			largest := 0.0
			for _, v := range x[lo:hi] {
				largest = max(largest, math.Abs(float64(v)))
			}
			for l := lo; l < hi && largest > 0; l++ {
				y[l] = math.RoundToEven(float64(x[l]*(math.MaxInt8/float32(largest)))) * largest / math.MaxInt8
			}
		}
	}
	return y
}

// The result is the product of the quantized rows with the values of the weights, for all numbers of rows.
func TestMatMulNBitsInt8(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, s := range []struct{ m, k, n, block int }{
			{1, 16, 1, 16}, {1, 96, 33, 32}, {2, 256, 64, 256}, {3, 256, 40, 128}, {1, 50, 70, 16}, {2, 300, 31, 64},
			{5, 50, 70, 16}, {17, 600, 65, 32}, {31, 1100, 300, 128}, {7, 9, 5, 8}, {130, 520, 33, 16}, {11, 4096, 64, 32},
		} {
			for i := range 4 {
				bits, zeros := 4<<(i/2), i%2 == 1
				c := newNBitsCase(rng, s.k, s.n, s.block, bits, zeros)
				w, scales, zero := c.packed(t, s.k, s.n, s.block, zeros)
				x, bias := gaussians[float32](s.m*s.k), gaussians[float32](s.n)
				rows, want := quantizedRows(x, s.k, s.block), make([]float64, s.m*s.n)
				for i := range want {
					want[i] = float64(bias[i%s.n])
					for l := range s.k {
						want[i] += rows[i/s.n*s.k+l] * c.exact[i%s.n*s.k+l]
					}
				}
				got, check := guarded(len(want))
				MatMulNBitsInt8(got, x, w, scales, zero, bias, NBitsShape{M: s.m, K: s.k, N: s.n, Block: s.block, Bits: bits})
				check(t)
				nearly(t, fmt.Sprintf("%+v, %d bits, zeros %v", s, bits, zeros), widen64(got), want, 2e-5*float64(s.k+4))
			}
		}
	})
}

// A row with an element that is not a number has results that are not, and changes no other row. A row of
// zeros, and one of numbers too small for a scale, have zeros.
func TestMatMulNBitsInt8Special(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		const m, k, n, block = 7, 64, 40, 32
		c := newNBitsCase(rand.New(rand.NewPCG(1, 2)), k, n, block, 4, false)
		w, scales, _ := c.packed(t, k, n, block, false)
		x := gaussians[float32](m * k)
		plain := make([]float32, m*n)
		MatMulNBitsInt8(plain, x, w, scales, nil, nil, NBitsShape{M: m, K: k, N: n, Block: block, Bits: 4})
		x[2*k+40] = float32(math.NaN())
		clear(x[4*k : 5*k])
		for i := range k {
			x[5*k+i] = 1e-41
		}
		got := make([]float32, m*n)
		MatMulNBitsInt8(got, x, w, scales, nil, nil, NBitsShape{M: m, K: k, N: n, Block: block, Bits: 4})
		for i, v := range got {
			switch r := i / n; {
			case r == 2 && v == v:
				t.Fatalf("column %d of the row with NaN is %v", i%n, v)
			case (r == 4 || r == 5) && v != 0:
				t.Fatalf("row %d has %v, want 0", r, v)
			case r != 2 && r != 4 && r != 5 && v != plain[i]:
				t.Fatalf("row %d has %v, want %v as without NaN", r, v, plain[i])
			}
		}
	})
}

// BenchmarkMatMulNBits multiplies with weights of 4 bits, of floats and of quantized rows.
func BenchmarkMatMulNBits(b *testing.B) {
	SetThreads(1)
	defer SetThreads(0)
	for _, s := range []struct{ m, k, n int }{{1, 2048, 2048}, {1, 4096, 11008}, {64, 2048, 2048}, {64, 4096, 11008}} {
		const block = 32
		blocks := s.k / block
		w, scales := make([]byte, PackNBitsSize(s.k, s.n, 4)), make([]float32, PackB32Size(blocks, s.n))
		for i := range w {
			w[i] = byte(i * 7)
		}
		x, dst := gaussians[float32](s.m*s.k), make([]float32, s.m*s.n)
		for _, f := range []struct {
			name string
			call func(dst, x []float32, w []byte, scales, zeros, bias []float32, s NBitsShape)
		}{{"floats", MatMulNBits}, {"int8", MatMulNBitsInt8}} {
			b.Run(fmt.Sprintf("%s-%dx%dx%d", f.name, s.m, s.k, s.n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					f.call(dst, x, w, scales, nil, nil, NBitsShape{M: s.m, K: s.k, N: s.n, Block: block, Bits: 4})
				}
				b.ReportMetric(float64(s.m*s.k*s.n)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GMAC/s")
			})
		}
	}
}
