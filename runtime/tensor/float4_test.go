package tensor

import (
	"math"
	"testing"
)

// TestFloat4E2M1 checks all values of float4e2m1, and the rounding to it.
func TestFloat4E2M1(t *testing.T) {
	for i, want := range []float32{0, 0.5, 1, 1.5, 2, 3, 4, 6} {
		x := F4E2M1(i)
		if x.Float32() != want || (x|8).Float32() != -want {
			t.Errorf("%d and its negative are %g and %g, want %g", i, x.Float32(), (x | 8).Float32(), want)
		}
		if a, b := ToFloat4E2M1(want), ToFloat4E2M1(float32(math.Copysign(float64(want), -1))); a != x || b != x|8 {
			t.Errorf("%g and its negative become %d and %d, want %d and %d", want, a, b, x, x|8)
		}
	}
	for x := range uint8(7) {
		mid := (F4E2M1(x).Float32() + F4E2M1(x+1).Float32()) / 2
		checkMiddle(t, "float4e2m1", x, mid, func(f float32) uint8 { return uint8(ToFloat4E2M1(f)) })
	}
	nan := float32(math.NaN())
	for f, want := range map[float32]F4E2M1{6.5: 7, -7: 15, inf: 7, -inf: 15, 1e-30: 0, nan: 8} {
		if got := ToFloat4E2M1(f); got != want {
			t.Errorf("ToFloat4E2M1(%g) = %d, want %d", f, got, want)
		}
	}
}
