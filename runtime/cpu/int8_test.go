package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// eachOctets runs f at every level for the four pairs of element types.
func eachOctets(t *testing.T, f func(t *testing.T, a, b bool)) {
	eachLevel(t, func(t *testing.T) {
		for _, a := range []bool{false, true} {
			for _, b := range []bool{false, true} {
				t.Run(fmt.Sprintf("signed=%v,%v", a, b), func(t *testing.T) { f(t, a, b) })
			}
		}
	})
}

func randomInt8s[T anyInt8](r *rand.Rand, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(r.Uint32())
		if r.IntN(8) == 0 { // with extreme values, for which arithmetic might saturate
			x[i] = lowest[T]() + T(r.IntN(2)*255)
		}
	}
	return x
}

func TestMatMulIntegerSizes(t *testing.T) {
	eachOctets(t, func(t *testing.T, a, b bool) {
		switch {
		case a && b:
			testMatMulInteger[int8, int8](t)
		case a:
			testMatMulInteger[int8, uint8](t)
		case b:
			testMatMulInteger[uint8, int8](t)
		default:
			testMatMulInteger[uint8, uint8](t)
		}
	})
}

func testMatMulInteger[A, B anyInt8](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range [][3]int{{1, 1, 1}, {1, 784, 130}, {2, 7, 33}, {3, 64, 31}, {4, 5, 70}, {5, 4, 32}, {13, 9, 40}, {14, 16, 64}, {15, 33, 65}, {31, 12, 129}, {3, 0, 5}, {3, 0, 40}, {15, 64, 32}, {16, 32, 8}, {17, 100, 40}, {32, 128, 96}, {33, 61, 70}, {50, 300, 33}} {
		m, k, n := s[0], s[1], s[2]
		x, y := randomInt8s[A](r, m*k), randomInt8s[B](r, k*n)
		for _, zeros := range [][2]int{{0, 0}, {1, 1}, {m, n}} {
			azp, bzp := randomInt8s[A](r, zeros[0]), randomInt8s[B](r, zeros[1])
			got := make([]int32, m*n+1)
			got[m*n] = 77
			MatMulInteger(got[:m*n], x, y, azp, bzp, MatMulBatch{M: m, K: k, N: n})
			for i := range m {
				for j := range n {
					want := int32(0)
					for l := range k {
						want += (int32(x[i*k+l]) - int32(zeroPoint(azp, i))) * (int32(y[l*n+j]) - int32(zeroPoint(bzp, j)))
					}
					if got[i*n+j] != want {
						t.Fatalf("%v, %v zero points: [%d, %d] = %d, want %d", s, zeros, i, j, got[i*n+j], want)
					}
				}
			}
			if got[m*n] != 77 {
				t.Fatalf("%v: wrote beyond the end", s)
			}
		}
	}
}

// The outputs of the assembly are those of [byteOut.storeGo], for every kind of output.
func TestStoreSums(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	eachLevel(t, func(t *testing.T) {
		for _, s := range [][2]int{{1, 1}, {1, 8}, {2, 15}, {3, 16}, {2, 31}, {14, 32}, {2, 33}, {3, 71}, {1, 128}, {2, 0}} {
			for kind := range 10 {
				testStore(t, r, s[0], s[1], kind%5, kind >= 5)
			}
		}
	})
}

// testStore tests sums of int32 (kind 0), float32 (1), int8 (2), uint8 (3), and uint8 that are not below zero (4).
func testStore(t *testing.T, r *rand.Rand, rows, cols, kind int, shifted bool) {
	const lds = 128
	sums, rowSums := make([]int32, 14*lds), make([]int32, rows)
	for i := range sums {
		sums[i] = int32(r.Uint32()) >> r.IntN(32)
	}
	for i := range rowSums {
		rowSums[i] = int32(r.IntN(1 << 20))
	}
	o := byteOut{add: make([]int32, cols+1), mult: make([]float32, cols+1), ldd: cols + 3, zero: int32(r.IntN(256) - 128)}
	if kind >= 3 {
		o.zero += 128
	}
	o.setRange(kind < 3)
	if kind == 4 {
		o.low = 0
	}
	if shifted {
		o.shift = make([]int32, cols+1)
	}
	for i := range o.add {
		o.add[i], o.mult[i] = int32(r.IntN(200)-100), r.Float32()
		if r.IntN(9) == 0 {
			o.mult[i] = []float32{0.5, 0, float32(math.Inf(1)), float32(math.NaN()), 1e30, -1}[r.IntN(6)]
		}
		if shifted {
			o.shift[i] = int32(r.IntN(256) - 128)
		}
	}
	n := rows*o.ldd + 1
	var want, got byteOut
	for _, x := range []*byteOut{&want, &got} {
		*x = o
		switch kind {
		case 0:
			x.ints = make([]int32, n)
		case 1:
			x.floats = make([]float32, n)
		default:
			x.bytes = make([]byte, n)
		}
	}
	want.storeGo(sums, lds, 0, 0, rows, cols, rowSums)
	got.store(sums, lds, 0, 0, rows, cols, rowSums)
	if !slices.Equal(got.ints, want.ints) || !slices.Equal(got.bytes, want.bytes) || !slices.Equal(bitsOf(got.floats), bitsOf(want.floats)) {
		t.Fatalf("%d×%d, kind %d, shifted %v:\ngot  %v\nwant %v", rows, cols, kind, shifted, got, want)
	}
}

func bitsOf(x []float32) []uint32 {
	b := make([]uint32, len(x))
	for i, v := range x {
		b[i] = math.Float32bits(v)
	}
	return b
}

func TestPackB8(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	eachLevel(t, func(t *testing.T) {
		for _, s := range [][2]int{{1, 1}, {4, 32}, {9, 33}, {16, 64}, {6, 95}} {
			k, n := s[0], s[1]
			b, trans := randomInt8s[int8](r, k*n), make([]int8, k*n)
			want := make([]int8, PackB8Size(k, n))
			for j := range n {
				for l := range k {
					want[j/panel*panel*quadsOf(k)*4+l/4*4*panel+j%panel*4+l%4] = b[l*n+j]
					trans[j*k+l] = b[l*n+j]
				}
			}
			got := make([]int8, len(want))
			if PackB8(got, b, k, n); !slices.Equal(got, want) {
				t.Errorf("PackB8 %d×%d: got %v, want %v", k, n, got, want)
			}
			if PackB8T(got, trans, k, n); !slices.Equal(got, want) {
				t.Errorf("PackB8T %d×%d: got %v, want %v", k, n, got, want)
			}
		}
	})
}

// Vectors with one scale have the results of the general kernels, for any length.
func TestQuantizeOneScale(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	scale, zero := []float32{0.37}, []int8{-9}
	for _, n := range []int{0, 1, 100, vecTurn + 1, 3*vecTurn + 5} {
		x, b := make([]float32, n), Blocks{Outer: 1, N: n, Inner: 1, Size: 1}
		for i := range x {
			x[i] = float32(r.NormFloat64() * 50)
		}
		got, want := make([]int8, n), make([]int8, n)
		Quantize(got, x, scale, zero)
		QuantizeLinear(want, x, scale, zero, b)
		back, wantBack := make([]float32, n), make([]float32, n)
		Dequantize(back, got, scale, zero)
		DequantizeLinear(wantBack, want, scale, zero, b)
		if !slices.Equal(got, want) || !slices.Equal(back, wantBack) {
			t.Errorf("%d elements differ from QuantizeLinear's or DequantizeLinear's", n)
		}
	}
}

// Elements whose quotient is a half, or next to one, are rounded like the quotient, for any scale.
func TestQuantizeBytesHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	scales := []float32{0, 1e-45, 1e-38, 3e38, float32(math.Inf(1)), float32(math.NaN()), -0.3}
	eachLevel(t, func(t *testing.T) {
		for range 200 {
			scale := float32(math.Exp(r.NormFloat64() * 8))
			if r.IntN(10) == 0 {
				scale = scales[r.IntN(len(scales))]
			}
			x := make([]float32, 67)
			for i := range x {
				x[i] = (float32(r.IntN(600)-300) + 0.5) * scale
				for range r.IntN(4) {
					x[i] = math.Nextafter32(x[i], float32(math.Inf(r.IntN(2)*2-1)))
				}
			}
			got, want := make([]byte, len(x)), make([]byte, len(x))
			quantizeBytesGo(want, x, scale, -100, 155, 100)
			if quantizeBytes(got, x, scale, -100, 155, 100); !slices.Equal(got, want) {
				t.Fatalf("scale %v: quantize %v: got %v, want %v", scale, x, got, want)
			}
		}
	})
}

// Looking up bytes has the same results at every level, for all lengths, also in place.
func TestByteTable(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	eachLevel(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 31, 63, 64, 65, 127, 128, 200, 3*vecTurn + 5} {
			x, table := make([]int8, n), make([]uint8, 256)
			for i := range x {
				x[i] = int8(r.Uint32())
			}
			for i := range table {
				table[i] = uint8(r.Uint32())
			}
			got, want := make([]uint8, n+1), make([]uint8, n+1)
			for i, v := range x {
				want[i] = table[uint8(v)]
			}
			if ByteTable(got[:n], x, table); !slices.Equal(got, want) {
				t.Fatalf("%d: got %v, want %v", x, got, want)
			}
			same := asBytes(x)
			if ByteTable(same, same, table); !slices.Equal(same, want[:n]) {
				t.Fatalf("in place: got %v, want %v", same, want)
			}
		}
	})
}

// Flipping bits of bytes has the same results at every level, for all lengths, also in place.
func TestFlipBytes(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		for n := range 100 {
			x := randomInt8s[uint8](r, n)
			want := make([]byte, n)
			for i, v := range x {
				want[i] = v ^ flipped
			}
			got := make([]byte, n+1)
			flipBytes(got[:n], x, flipped)
			if !slices.Equal(got[:n], want) || got[n] != 0 {
				t.Errorf("%d flipped bytes of %d are %d, want %d and a zero", n, x, got, want)
			}
			flipBytes(x, x, flipped)
			if !slices.Equal(x, want) {
				t.Errorf("%d bytes flipped in place are %d, want %d", n, x, want)
			}
		}
	})
}

// The sums of runs are those of their bytes alone, at every level and for all lengths.
func TestSumRuns(t *testing.T) {
	starts, r := []int{3, 90, 211}, rand.New(rand.NewPCG(8, 9))
	const rows, apart = 5, 37
	for run := range 80 {
		x := randomInt8s[uint8](r, (rows-1)*apart+starts[2]+(run+3)/4*4)
		want := make([]int32, rows)
		for i := range want {
			for _, s := range starts {
				for _, v := range x[i*apart+s:][:run] {
					want[i] += int32(v)
				}
			}
		}
		eachLevel(t, func(t *testing.T) {
			got := make([]int32, rows)
			if sumRuns(got, x, apart, starts, run); !slices.Equal(got, want) {
				t.Errorf("sums of runs of %d bytes are %d, want %d", run, got, want)
			}
		})
	}
}

// Quantizing to bytes has the same results at every level, for all lengths and for NaN and infinities.
func TestQuantizeBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	special := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0.5, 1.5, -0.5, 2.5, 1e20, 254.5, 255.5}
	eachLevel(t, func(t *testing.T) {
		for n := range 70 {
			x := make([]float32, n)
			for i := range x {
				if x[i] = r.Float32()*600 - 300; r.IntN(3) == 0 {
					x[i] = special[r.IntN(len(special))]
				}
			}
			got, want := make([]byte, n+1), make([]byte, n+1)
			quantizeBytesGo(want[:n], x, 0.75, -100, 155, 100)
			if quantizeBytes(got[:n], x, 0.75, -100, 155, 100); !slices.Equal(got, want) {
				t.Fatalf("quantize %v: got %v, want %v", x, got, want)
			}
			for _, signed := range []bool{false, true} {
				back, wantBack := make([]float32, n+1), make([]float32, n+1)
				dequantizeBytesGo(wantBack[:n], want, signed, 0.3, 7)
				if dequantizeBytes(back[:n], want, signed, 0.3, 7); !slices.Equal(back, wantBack) {
					t.Fatalf("dequantize %v: got %v, want %v", want, back, wantBack)
				}
			}
		}
	})
}
