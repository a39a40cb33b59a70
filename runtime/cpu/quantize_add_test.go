package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// QAdd has the bits of Dequantize, Add and Quantize at every level, for all lengths, also in place and on several threads.
func TestQAdd(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		t.Run("int8", testQAdd[int8])
		t.Run("uint8", testQAdd[uint8])
	})
}

func testQAdd[T int8 | uint8](t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{0, 1, 7, 8, 9, 15, 16, 17, 40, 255, 256, 257, 700, 3*vecTurn + 5} {
		a, b := randomInt8s[T](r, n), randomInt8s[T](r, n)
		for _, s := range []ByteSum{
			{AScale: 0.02, BScale: 0.035, Scale: 0.05, AZero: 3, BZero: 100, Zero: 7},
			{AScale: 0.5, BScale: 0.25, Scale: 1},                // half of the results are halves
			{AScale: 1, BScale: -1, Scale: -0.001, Zero: 1},      // saturates
			{AScale: 1e-38, BScale: 1e-39, Scale: 3e-39},         // the inverse is no normal number
			{AScale: 3e38, BScale: 3e38, Scale: 1e38, BZero: 10}, // sums are infinite, or NaN
		} {
			x, y, want := make([]float32, n), make([]float32, n), make([]T, n)
			Dequantize(x, a, []float32{float32(s.AScale)}, []T{T(s.AZero)})
			Dequantize(y, b, []float32{float32(s.BScale)}, []T{T(s.BZero)})
			Add(x, x, y)
			Quantize(want, x, []float32{float32(s.Scale)}, []T{T(s.Zero)})
			got := make([]T, n+1)
			if QAdd(got[:n], a, b, s); !slices.Equal(got[:n], want) || got[n] != 0 {
				t.Fatalf("%d elements, %+v: got %v, want %v and a zero", n, s, got, want)
			}
			inA, inB := slices.Clone(a), slices.Clone(b)
			QAdd(inA, inA, b, s)
			QAdd(inB, a, inB, s)
			if !slices.Equal(inA, want) || !slices.Equal(inB, want) {
				t.Fatalf("%d elements in place, %+v: got %v and %v, want %v", n, s, inA, inB, want)
			}
		}
	}
}
