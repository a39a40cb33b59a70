package secagg

import (
	"math"
	"testing"
)

// TestDegrees computes what degrees promises, for each number of peers up to some thousands and for some larger ones.
func TestDegrees(t *testing.T) {
	for n := 2; n <= 1<<20; n += 1 + n/500 {
		k := degree(n)
		if k == n-1 {
			continue
		}
		corrupt, lost := (n+2)/3-1, n/10
		if k%2 == 1 {
			t.Fatalf("%d of %d peers cannot be on two sides", k, n)
		}
		revealed := float64(n) * atLeast(threshold(k), n-1, corrupt, k)
		divided := float64(n) * math.Exp(choose(n-k/2, corrupt+lost-k/2)-choose(n, corrupt+lost))
		if p := revealed + divided; p > 0x1p-40 {
			t.Errorf("%d peers with %d neighbors: 2^%.1f, want at most 2^-40", n, k, math.Log2(p))
		}
	}
}

// atLeast returns the probability that k drawn of n have at least m of the marked ones.
func atLeast(m, n, marked, k int) (p float64) {
	for i := m; i <= min(marked, k); i++ {
		p += math.Exp(choose(marked, i) + choose(n-marked, k-i) - choose(n, k))
	}
	return p
}

// choose returns the logarithm of the number of ways to draw k of n.
func choose(n, k int) float64 {
	if k < 0 || k > n {
		return math.Inf(-1)
	}
	all, _ := math.Lgamma(float64(n + 1))
	in, _ := math.Lgamma(float64(k + 1))
	out, _ := math.Lgamma(float64(n - k + 1))
	return all - in - out
}

// What few peers share, they share with all others.
func TestFewPeers(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 0, 2: 1, 10: 9, 49: 48, 64: 48, 65: 64, 1 << 24: mostNeighbors} {
		if got := degree(n); got != want {
			t.Errorf("%d peers: %d neighbors, want %d", n, got, want)
		}
	}
}
