package cpu

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestHalves converts all halves, and floats of every magnitude, at each level: the bits are the same, except
// for NaNs.
func TestHalves(t *testing.T) {
	var floats []float32
	for bits := uint64(0); bits < 1<<32; bits += 9973 {
		floats = append(floats, math.Float32frombits(uint32(bits)))
	}
	f16, bf16 := make([]tensor.F16, 1<<16), make([]tensor.BF16, 1<<16)
	for i := range f16 {
		f16[i], bf16[i] = tensor.F16(i), tensor.BF16(i)
		for _, half := range []float32{f16[i].Float32(), bf16[i].Float32()} { // and floats between two of them
			b := math.Float32bits(half)
			for _, add := range []uint32{0xfff, 0x1000, 0x1001, 0x7fff, 0x8000, 0x8001} {
				floats = append(floats, math.Float32frombits(b+add))
			}
		}
	}
	eachLevel(t, func(t *testing.T) {
		wide := make([]float32, 1<<16)
		CastFromSmall(wide, f16)
		for i, x := range f16 {
			if !sameValue(wide[i], x.Float32()) {
				t.Fatalf("float16 %#x is %v, want %v", uint16(x), wide[i], x.Float32())
			}
		}
		CastFromSmall(wide, bf16)
		for i, x := range bf16 {
			if !sameValue(wide[i], x.Float32()) {
				t.Fatalf("bfloat16 %#x is %v, want %v", uint16(x), wide[i], x.Float32())
			}
		}
		a, b := make([]tensor.F16, len(floats)), make([]tensor.BF16, len(floats))
		CastToSmall(a, floats, true, 0)
		CastToSmall(b, floats, true, 0)
		for i, x := range floats {
			if want := tensor.ToFloat16(x); a[i] != want && !(x != x && a[i].Float32() != a[i].Float32()) {
				t.Fatalf("%v is %#x as float16, want %#x", x, uint16(a[i]), uint16(want))
			}
			if want := tensor.ToBFloat16(x); b[i] != want && !(x != x && b[i].Float32() != b[i].Float32()) {
				t.Fatalf("%v is %#x as bfloat16, want %#x", x, uint16(b[i]), uint16(want))
			}
		}
	})
}

// TestHalvesOfAnyLength checks that the memory around the destination is not written.
func TestHalvesOfAnyLength(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	x := make([]float32, 131)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	eachLevel(t, func(t *testing.T) {
		for n := range x {
			a, b, wide := make([]tensor.F16, n+2), make([]tensor.BF16, n+2), make([]float32, n+2)
			a[0], a[n+1], b[0], b[n+1], wide[0], wide[n+1] = 7, 7, 7, 7, 7, 7
			CastToSmall(a[1:n+1], x[:n], true, 0)
			CastToSmall(b[1:n+1], x[:n], true, 0)
			for i, v := range x[:n] {
				if a[i+1] != tensor.ToFloat16(v) || b[i+1] != tensor.ToBFloat16(v) {
					t.Fatalf("element %d of %d is %v and %v, want %v", i, n, a[i+1].Float32(), b[i+1].Float32(), v)
				}
			}
			CastFromSmall(wide[1:n+1], a[1:n+1])
			for i := range n {
				if wide[i+1] != a[i+1].Float32() {
					t.Fatalf("element %d of %d is %v, want %v", i, n, wide[i+1], a[i+1].Float32())
				}
			}
			if a[0] != 7 || a[n+1] != 7 || b[0] != 7 || b[n+1] != 7 || wide[0] != 7 || wide[n+1] != 7 {
				t.Fatalf("%d elements: a neighbour has changed", n)
			}
		}
	})
}

func BenchmarkHalves(b *testing.B) {
	x, f16, bf16 := make([]float32, 1<<16), make([]tensor.F16, 1<<16), make([]tensor.BF16, 1<<16)
	for name, f := range map[string]func(){
		"from/F16": func() { CastFromSmall(x, f16) }, "from/BF16": func() { CastFromSmall(x, bf16) },
		"to/F16": func() { CastToSmall(f16, x, true, 0) }, "to/BF16": func() { CastToSmall(bf16, x, true, 0) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(4 << 16)
			for b.Loop() {
				f()
			}
		})
	}
}
