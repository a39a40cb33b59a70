package cpu

import (
	"slices"
	"testing"
)

// Rows of quarter windows are the same at every level, for every length, also with equal values and NaN, and
// no other memory is accessed.
func TestQuarterRows(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		lengths(func(n int, a, b []float32) {
			w := 2*n + n%3
			x := make([]float32, w+2*n)
			for i := range x {
				if x[i] = a[i*5%n]; i%4 == 1 {
					x[i] = b[i%n]
				}
			}
			got, check := guarded(n)
			want := make([]float32, n)
			quarterMax(got, x, w)
			quarterMaxGo(want, x, w)
			check(t)
			if !slices.EqualFunc(got, want, sameValue) {
				t.Fatalf("%d windows: %v, want %v", n, got, want)
			}
			got, check = guarded(len(x))
			copy(got, x)
			want = slices.Clone(x)
			quarterMaxGrad(got, x, b, w)
			quarterMaxGradGo(want, x, b, w)
			check(t)
			if !slices.EqualFunc(got, want, sameValue) {
				t.Fatalf("gradient of %d windows: %v, want %v", n, got, want)
			}
		})
	})
}
