package container

import (
	"math/rand/v2"
	"testing"
)

// TestBitset compares bit sets of several sizes with a slice of bools.
func TestBitset(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 63, 64, 65, 128, 129, 1000} {
		s, part := NewBitset(n), NewBitset(n)
		want := make([]bool, n)
		for range n {
			i := r.IntN(n)
			if r.IntN(2) == 0 {
				part.Add(i)
			}
			s.Add(i)
			want[i] = true
		}
		for i, w := range want {
			if s.Has(i) != w {
				t.Errorf("of %d: %d is in it: %v, want %v", n, i, s.Has(i), w)
			}
		}
		if !s.Covers(&part) {
			t.Errorf("of %d: it lacks what is in its part", n)
		}
		part.Clear()
		for i := range n {
			if !want[i] {
				part.Add(i)
				if s.Covers(&part) {
					t.Errorf("of %d: it covers %d, which is not in it", n, i)
				}
				break
			}
		}
	}
}
