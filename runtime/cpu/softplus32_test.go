package cpu

import (
	"math"
	"testing"
)

// TestSoftplus32 shows that softplus of float32 is near the exact value at every level, also where exp(x) is below the
// precision of 1, in place, for all lengths, and for infinities and NaN.
func TestSoftplus32(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for n := range 600 {
			x := make([]float32, n)
			for i := range x {
				x[i] = float32(i-n/2) / 7
			}
			dst, check := guarded(n)
			copy(dst, x)
			Softplus(dst, dst)
			check(t)
			for i, v := range x {
				want := softplus(float64(v))
				if !(math.Abs(float64(dst[i])-want) <= 1e-6*want) {
					t.Fatalf("softplus(%v) is %v, want %v", v, dst[i], want)
				}
			}
		}
		inf := float32(math.Inf(1))
		special := []float32{inf, -inf, float32(math.NaN()), 0, 1e30, -1e30}
		Softplus(special, special)
		if special[0] != inf || special[1] != 0 || special[2] == special[2] || special[3] != float32(math.Ln2) || special[4] != 1e30 || special[5] != 0 {
			t.Errorf("of special values: %v", special)
		}
		x := make([]float32, 1000)
		if n := testing.AllocsPerRun(10, func() { Softplus(x, x) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// BenchmarkSoftplus32 times softplus of float32 at each level, beside that of float64.
func BenchmarkSoftplus32(b *testing.B) {
	x, wide := make([]float32, 4096), make([]float64, 4096)
	for i := range x {
		x[i] = float32(i%97)/12 - 4
		wide[i] = float64(x[i])
	}
	dst, wideDst := make([]float32, len(x)), make([]float64, len(x))
	for _, l := range Levels() {
		b.Run(l.String(), func(b *testing.B) {
			defer SetLevel(SetLevel(l))
			for b.Loop() {
				Softplus(dst, x)
			}
		})
	}
	b.Run("float64", func(b *testing.B) {
		for b.Loop() {
			Softplus(wideDst, wide)
		}
	})
}
