package cpu

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// eachLength calls check at every level for lengths up to some steps of the kernels, with elements of a vector in the
// middle of a larger one.
func eachLength(t *testing.T, check func(t *testing.T, r *rand.Rand, x []float32)) {
	for _, l := range Levels() {
		t.Run(l.String(), func(t *testing.T) {
			defer SetLevel(SetLevel(l))
			r := rand.New(rand.NewPCG(1, 2))
			for n := range 131 {
				all := make([]float32, n+2)
				for i := range all {
					all[i] = float32(r.NormFloat64())
				}
				all[0], all[n+1] = 1e30, 1e30 // guards
				check(t, r, all[1:1+n:1+n])
				if all[0] != 1e30 || all[n+1] != 1e30 {
					t.Fatalf("an element beside %d others was changed", n)
				}
			}
		})
	}
}

func TestNorms(t *testing.T) {
	eachLength(t, func(t *testing.T, r *rand.Rand, x []float32) {
		square, abs, most := 0.0, 0.0, 0.0
		for _, v := range x {
			square += float64(v) * float64(v)
			abs += math.Abs(float64(v))
			most = max(most, math.Abs(float64(v)))
		}
		if got := SumSquares64(x); !(math.Abs(got-square) <= 1e-12*square) {
			t.Fatalf("squares of %d elements: %v, want %v", len(x), got, square)
		}
		if got := SumAbs64(x); !(math.Abs(got-abs) <= 1e-12*abs) {
			t.Fatalf("absolute values of %d elements: %v, want %v", len(x), got, abs)
		}
		if got := MaxAbs32(x); float64(got) != most {
			t.Fatalf("largest of %d elements: %v, want %v", len(x), got, most)
		}
		if len(x) == 0 {
			return
		}
		for _, bad := range []float32{float32(math.Inf(-1)), float32(math.NaN()), math.MaxFloat32} {
			x[r.IntN(len(x))] = bad
			finite := bad == math.MaxFloat32
			if got := SumSquares64(x); isFinite(float32(0*got)) != finite {
				t.Fatalf("squares of %d elements with %v: %v", len(x), bad, got)
			}
			if got := MaxAbs32(x); isFinite(got) != finite {
				t.Fatalf("largest of %d elements with %v: %v", len(x), bad, got)
			}
			for i := range x {
				x[i] = 1
			}
		}
	})
}

func TestSigns(t *testing.T) {
	eachLength(t, func(t *testing.T, r *rand.Rand, x []float32) {
		for i, v := range []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(-1))} {
			if i < len(x) {
				x[i] = v
			}
		}
		scale, n := float32(0.75), (len(x)+7)/8
		guarded := func() []byte { return append(make([]byte, n), 0xa5) }
		got, want, left := guarded(), guarded(), slices.Clone(x)
		sent := make([]float32, len(x))
		for i, v := range x {
			if math.Signbit(float64(v)) {
				want[i/8] |= 1 << (i % 8)
			}
			sent[i] = float32(math.Copysign(float64(scale), float64(v)))
			left[i] -= sent[i]
		}
		TakeSigns(got[:n], x, scale)
		if !bytes.Equal(got, want) || !slices.Equal(x, left) {
			t.Fatalf("signs of %d elements: %x, want %x", len(x), got, want)
		}
		PutSigns(x, got[:n], scale)
		if !slices.Equal(x, sent) {
			t.Fatalf("%d elements of signs are %v, want %v", len(x), x, sent)
		}
	})
}

func TestFixedPoint(t *testing.T) {
	eachLength(t, func(t *testing.T, r *rand.Rand, x []float32) {
		got, random := make([]int32, len(x)+1), make([]uint16, len(x))
		for i := range x {
			random[i] = uint16(r.Uint32())
			x[i] *= 1000
		}
		FixedPoint(got[:len(x)], x, random, 16.5)
		want := make([]int32, len(x))
		fixedPointGo(want, x, random, 16.5)
		for i, v := range x {
			exact := 16.5*float64(v) + (float64(random[i])+0.5)/65536
			if below := exact - float64(got[i]); got[i] != want[i] || below < -1e-9 || below >= 1+1e-9 {
				t.Fatalf("element %d of %d: %v becomes %d, want %d", i, len(x), exact, got[i], want[i])
			}
		}
		if got[len(x)] != 0 {
			t.Fatalf("an element behind %d others was changed", len(x))
		}
	})
}

// Nibbles are packed and unpacked for any number of them, also an odd one, and nothing beside them changes.
func TestNibbles(t *testing.T) {
	for _, l := range Levels() {
		defer SetLevel(SetLevel(l))
		for n := range 300 {
			x, packed := make([]byte, n), make([]byte, (n+1)/2+1)
			want, numbers := make([]int8, n), make([]int8, n+1)
			for i := range x {
				x[i] = byte(37*i + n)
				want[i] = int8(x[i]<<4) >> 4
			}
			packed[len(packed)-1], numbers[n] = 0xa5, 99 // guards
			PackNibbles(packed[:len(packed)-1], x)
			for i, v := range x {
				if got := packed[i/2] >> (4 * (i % 2)) & 0xf; got != v&0xf {
					t.Fatalf("%v: nibble %d of %d is %d, want %d", l, i, n, got, v&0xf)
				}
			}
			if n%2 == 1 && packed[n/2]>>4 != 0 {
				t.Fatalf("%v: the nibble after %d others is %d, want 0", l, n, packed[n/2]>>4)
			}
			UnpackNibbles(numbers[:n], packed)
			if !slices.Equal(numbers[:n], want) {
				t.Fatalf("%v: %d nibbles are %v, want %v", l, n, numbers[:n], want)
			}
			if packed[len(packed)-1] != 0xa5 || numbers[n] != 99 {
				t.Fatalf("%v: a byte beside %d nibbles was changed", l, n)
			}
		}
	}
}

// BenchmarkCodecKernels measures each kernel with elements in the cache.
func BenchmarkCodecKernels(b *testing.B) {
	x, bits, dst, random, nibbles := make([]float32, 4096), make([]byte, 512), make([]int32, 4096), make([]uint16, 4096), make([]int8, 1024)
	for _, k := range []struct {
		name string
		run  func()
	}{
		{"SumSquares", func() { SumSquares64(x) }},
		{"SumAbs", func() { SumAbs64(x) }},
		{"MaxAbs", func() { MaxAbs32(x) }},
		{"TakeSigns", func() { TakeSigns(bits, x, 0) }},
		{"PutSigns", func() { PutSigns(x, bits, 1) }},
		{"FixedPoint", func() { FixedPoint(dst, x, random, 0.5) }},
		{"PackNibbles", func() { PackNibbles(bits[:256], bits) }},
		{"UnpackNibbles", func() { UnpackNibbles(nibbles, bits) }},
	} {
		for _, l := range Levels() {
			b.Run(k.name+"/"+l.String(), func(b *testing.B) {
				defer SetLevel(SetLevel(l))
				b.SetBytes(int64(4 * len(x)))
				for b.Loop() {
					k.run()
				}
			})
		}
	}
}
