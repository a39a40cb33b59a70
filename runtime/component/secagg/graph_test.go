package secagg

import (
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/wire"
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

// Neighbors of many peers are next to each other in a circle: each is the neighbor of its neighbors, the order of the circle
// follows from all messages, and no peer can choose its place by its key alone.
func TestCircle(t *testing.T) {
	const n = 70
	var list []message
	for i := range n {
		list = append(list, message{signerOf(i).self, []byte{byte(i)}})
	}
	slices.SortFunc(list, compare)
	near := map[wire.PeerID][]wire.PeerID{}
	for _, l := range list {
		near[l.peer] = neighbors(list, l.peer)
		if got := near[l.peer]; len(got) != degree(n) || slices.Contains(got, l.peer) || !slices.IsSortedFunc(got, wire.PeerID.Compare) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Fatalf("%v has %d neighbors, want %d others in order", l.peer, len(got), degree(n))
		}
	}
	for p, of := range near {
		for _, q := range of {
			if !slices.Contains(near[q], p) {
				t.Fatalf("%v is a neighbor of %v, which is none of its", q, p)
			}
		}
	}
	before := circleOf(list)
	if !slices.Equal(before, circleOf(slices.Clone(list))) {
		t.Error("the same messages give two circles")
	}
	list[0].body = []byte("another key")
	after := circleOf(list)
	if slices.Equal(before, after) {
		t.Error("the circle does not depend on the messages")
	}
	slices.SortFunc(after, wire.PeerID.Compare)
	for i, l := range list {
		if after[i] != l.peer {
			t.Fatalf("the circle lacks %v", l.peer)
		}
	}
}
