package cpu

import (
	"math/rand/v2"
	"testing"
)

func TestSharesAreThoseOfADivision(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1 << 16 {
		n := 1 + r.IntN(1<<r.IntN(24))
		elements := n + r.IntN(63*n)
		s := sharesOf(elements, n)
		for _, i := range []int{0, 1, r.IntN(n), n - 1, n} {
			if got, want := s.first(i), int(int64(i)*int64(elements)/int64(n)); got != want {
				t.Fatalf("share %d of %d of %d elements begins at %d, want %d", i, n, elements, got, want)
			}
		}
	}
}
