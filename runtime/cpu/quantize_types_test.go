package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

type quantized interface {
	uint8 | int8 | uint16 | int16 | tensor.I4 | tensor.U4 | tensor.I2 | tensor.U2
}

// blockings are all ways in which scales belong to elements of a tensor [2, 5, 3], with the index of an element's scale.
var blockings = []struct {
	name   string
	scales int
	b      Blocks
	of     func(o, k, i int) int
}{
	{"one scale", 1, Blocks{2, 5, 3, 1, false}, func(_, _, _ int) int { return 0 }},
	{"a scale for each of the middle axis", 5, Blocks{2, 5, 3, 1, true}, func(_, k, _ int) int { return k }},
	{"blocks of two", 2 * 3 * 3, Blocks{2, 5, 3, 2, false}, func(o, k, i int) int { return (o*3+k/2)*3 + i }},
	{"a scale for each element", 30, Blocks{2, 5, 3, 1, false}, func(o, k, i int) int { return (o*5+k)*3 + i }},
}

// TestQuantizeTypes compares both directions with their definitions, for all types and ways to share scales.
func TestQuantizeTypes(t *testing.T) {
	t.Run("uint8", func(t *testing.T) { testQuantizeType[uint8](t, 0, 255) })
	t.Run("int8", func(t *testing.T) { testQuantizeType[int8](t, -128, 127) })
	t.Run("uint16", func(t *testing.T) { testQuantizeType[uint16](t, 0, 65535) })
	t.Run("int16", func(t *testing.T) { testQuantizeType[int16](t, -32768, 32767) })
	t.Run("int4", func(t *testing.T) { testQuantizeType[tensor.I4](t, -8, 7) })
	t.Run("uint4", func(t *testing.T) { testQuantizeType[tensor.U4](t, 0, 15) })
	t.Run("int2", func(t *testing.T) { testQuantizeType[tensor.I2](t, -2, 1) })
	t.Run("uint2", func(t *testing.T) { testQuantizeType[tensor.U2](t, 0, 3) })
}

func testQuantizeType[D quantized](t *testing.T, low, high float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range blockings {
		x, scale, zero := make([]float32, 30), make([]float32, c.scales), make([]D, c.scales)
		for i := range x {
			x[i] = float32(rng.NormFloat64() * (high - low) / 8)
		}
		copy(x, []float32{float32(inf), float32(-inf), float32(nan), 0.5, -0.5, 1.5, 3e38})
		for i := range scale {
			scale[i] = []float32{0.25, 0.5, 1, 2}[rng.IntN(4)]
			zero[i] = D(low + math.Floor(rng.Float64()*(high-low+1)))
		}
		got, want := make([]D, 30), make([]D, 30)
		back, wantBack := make([]float32, 30), make([]float32, 30)
		plain, wantPlain := make([]D, 30), make([]D, 30)
		eachIndex([]int{2, 5, 3}, func(at int, i []int) {
			s := c.of(i[0], i[1], i[2])
			q := math.RoundToEven(float64(x[at] / scale[s]))
			if q != q {
				q = 0 // a choice of this package: the specification leaves NaN open
			}
			want[at] = D(min(max(q+float64(zero[s]), low), high))
			wantPlain[at] = D(min(max(q, low), high))
			wantBack[at] = float32(float64(want[at])-float64(zero[s])) * scale[s]
		})
		QuantizeLinear(got, x, scale, zero, c.b)
		equal(t, c.name, got, want...)
		QuantizeLinear(plain, x, scale, nil, c.b)
		equal(t, c.name+" without zero points", plain, wantPlain...)
		DequantizeLinear(back, got, scale, zero, c.b)
		equal(t, c.name+" back", back, wantBack...)
	}
}

// TestScaleSmallFloats checks the steps before and after conversions to small floats.
func TestScaleSmallFloats(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range blockings {
		x, scale, zero := randoms(rng, 30), make([]float32, c.scales), make([]float32, c.scales)
		for i := range scale {
			scale[i], zero[i] = float32(rng.IntN(7)+1)/4, float32(rng.IntN(7)-3)
		}
		for _, z := range [][]float32{zero, nil} {
			got, want := make([]float32, 30), make([]float32, 30)
			mul, wantMul := make([]float32, 30), make([]float32, 30)
			eachIndex([]int{2, 5, 3}, func(at int, i []int) {
				s, moved := c.of(i[0], i[1], i[2]), float32(0)
				if z != nil {
					moved = z[s]
				}
				want[at] = float32(x[at]/scale[s]) + moved
				wantMul[at] = float32(x[at]-moved) * scale[s]
			})
			DivScale(got, x, scale, z, c.b)
			equal(t, "DivScale with "+c.name, got, want...)
			MulScale(mul, x, scale, z, c.b)
			equal(t, "MulScale with "+c.name, mul, wantMul...)
		}
	}
}

// Vectors that are long enough for several threads, at each level, are quantized to the bytes of the definition and back.
func TestQuantizeLong(t *testing.T) {
	defer SetThreads(0)
	const n = 2*vecTurn + 17
	x := randoms(rand.New(rand.NewPCG(5, 6)), max(n, vecLong+1))
	scale, zero := []float32{0.005}, []int8{-7} // some elements are saturated
	want := make([]int8, len(x))
	for i, v := range x {
		want[i] = int8(min(max(math.RoundToEven(float64(v/scale[0]))-7, -128), 127))
	}
	eachLevel(t, func(t *testing.T) {
		for _, threads := range []int{1, 4} {
			SetThreads(threads)
			for _, m := range []int{0, 1, 7, 15, 16, 17, 31, 33, len(x)} {
				got, back := make([]int8, m), make([]float32, m)
				Quantize(got, x[:m], scale, zero)
				Dequantize(back, got, scale, zero)
				for i, q := range got {
					if q != want[i] || back[i] != float32(int(q)+7)*scale[0] {
						t.Fatalf("%d threads: element %d of %d became %d and %v, want %d", threads, i, m, q, back[i], want[i])
					}
				}
			}
		}
	})
}

// TestRequantize compares matrices with one factor or one for each row and column with the definition.
func TestRequantize(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	eachLevel(t, func(t *testing.T) {
		for _, s := range [][3]int{{1, 1, 1}, {2, 3, 7}, {1, 4, 129}, {2, 2, 256}, {3, 1, 33}} {
			batch, m, n := s[0], s[1], s[2]
			for mask := range 4 {
				rows, cols := randoms(rng, 1+mask&1*(m-1)), randoms(rng, 1+mask>>1*(n-1))
				sums, scale := make([]int32, batch*m*n), []float32{0.01}
				for i := range sums {
					sums[i] = int32(rng.IntN(401) - 200)
				}
				signed, unsigned := make([]int8, len(sums)), make([]uint8, len(sums))
				Requantize(signed, sums, rows, cols, scale, []int8{5}, m, n)
				Requantize(unsigned, sums, rows, cols, scale, []uint8{100}, m, n)
				for i, v := range sums {
					f := rows[i/n%m%len(rows)] * cols[i%n%len(cols)] / scale[0]
					y := math.RoundToEven(float64(float32(v) * f))
					a, b := int8(min(max(y+5, -128), 127)), uint8(min(max(y+100, 0), 255))
					if signed[i] != a || unsigned[i] != b {
						t.Fatalf("%v, factors %d: element %d is %d and %d, want %d and %d", s, mask, i, signed[i], unsigned[i], a, b)
					}
				}
			}
		}
	})
}

// TestMatMulIntegerPacked compares products with a packed matrix with the definition, for all kinds of zero points.
func TestMatMulIntegerPacked(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		testMatMulIntegerPacked[int8](t)
		testMatMulIntegerPacked[uint8](t)
	})
}

func testMatMulIntegerPacked[A anyInt8](t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, s := range [][3]int{{1, 1, 1}, {3, 7, 33}, {9, 16, 31}, {17, 9, 8}, {2, 0, 3}, {0, 3, 3}} {
		m, k, n := s[0], s[1], s[2]
		a, b := randomInt8s[A](r, m*k), randomInt8s[int8](r, k*n)
		packed := make([]int8, PackB8Size(k, n))
		PackB8(packed, b, k, n)
		for _, zeros := range [][2]int{{0, 0}, {1, 1}, {m, n}} {
			azp, bzp := randomInt8s[A](r, zeros[0]), randomInt8s[int8](r, zeros[1])
			got := make([]int32, m*n)
			MatMulIntegerPacked(got, a, packed, azp, bzp, m, k, n)
			for i, v := range got {
				want := int32(0)
				for l := range k {
					want += (int32(a[i/n*k+l]) - int32(zeroPoint(azp, i/n))) * (int32(b[l*n+i%n]) - int32(zeroPoint(bzp, i%n)))
				}
				if v != want {
					t.Fatalf("%v, %v zero points: element %d is %d, want %d", s, zeros, i, v, want)
				}
			}
		}
	}
}

// TestDepthwiseInteger compares convolutions of each channel with the definition, where padding is the zero point.
func TestDepthwiseInteger(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	eachLevel(t, func(t *testing.T) {
		for _, channels := range []int{2, 17, 64, 70} {
			win := window([]int{5, 6}, []int{3, 2}, []int{1, 2}, []int{1, 1}, []int{1, 1}, []int{1, 0})
			taps, places, size := sizeOf(win.Kernel), sizeOf(win.Out), sizeOf(win.In)
			x, w, zero := randomInt8s[uint8](r, 2*size*channels), randomInt8s[int8](r, channels*taps), []uint8{77}
			packed, totals := make([]int8, PackDepth8Size(channels, taps)), make([]int32, channels)
			PackDepth8(packed, w, channels, taps)
			for c := range totals {
				for _, v := range row(w, c, taps) {
					totals[c] += int32(v)
				}
			}
			want := make([]int32, 2*places*channels)
			eachIndex([]int{2, places, channels}, func(o int, i []int) {
				for k := range taps {
					if at, ok := placeOf(win, i[1], k); ok {
						want[o] += (int32(x[(i[0]*size+at)*channels+i[2]]) - 77) * int32(w[i[2]*taps+k])
					}
				}
			})
			got := make([]int32, len(want))
			DepthwiseInteger(got, x, packed, totals, zero, DepthwiseShape{Images: 2, Channels: channels, Window: win})
			equal(t, fmt.Sprint(channels, " channels"), got, want...)
		}
	})
}
