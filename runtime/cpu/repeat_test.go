package cpu

import (
	"slices"
	"testing"
)

// Elements are repeated the same at every level, for every length, and no other memory is accessed.
func TestRepeat(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for count := range 20 {
			x := make([]float32, count)
			for i := range x {
				x[i] = float32(i + 1)
			}
			for n := range 70 {
				got, check := guarded(count * n)
				want := make([]float32, count*n)
				vecRepeat(got, x, n)
				repeatGo(want, x, n)
				check(t)
				if !slices.Equal(got, want) {
					t.Fatalf("%d elements, %d times: %v, want %v", count, n, got, want)
				}
			}
		}
	})
}
