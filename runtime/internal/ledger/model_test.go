package ledger

import (
	"math/rand/v2"
	"testing"
)

// TestInsider: whatever peers and the node itself take and give back, in which order, one that takes more leaves as much as it
// had for the others, the total is the sum of the shares, and the limit holds.
func TestInsider(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		l, own := newLedger(), Own()
		peers := make([]Share, 2+r.IntN(6))
		what := []Resource{Frames, Commands, Timers, Held, Spooled, Waiting, Envelopes, Payloads}[r.IntN(8)]
		limit, forPeers := l.limit[what], l.forPeers[what]
		for range 2000 {
			s := &own
			if i := r.IntN(len(peers) + 1); i < len(peers) {
				s = &peers[i]
			}
			amount := 1 + r.Int64N(1<<r.IntN(7))
			if r.IntN(3) == 0 {
				amount = -min(amount, s.Used(what))
			}
			if amount > 0 {
				// of a peer, as much as it has is left for the others
				left := limit - l.Used(what) - amount
				if s != &own {
					left = forPeers - l.Used(what) - amount - s.Used(what)
				}
				if got := l.Admits(s, what, amount); got != (left >= 0) {
					t.Fatalf("seed %d: %d more to %d of %d is admitted: %v", seed, amount, s.Used(what), l.Used(what), got)
				} else if !got {
					continue
				}
			}
			l.Add(s, what, amount)
			total := own.Used(what)
			for i := range peers {
				total += peers[i].Used(what)
			}
			if l.Used(what) != total || total > limit {
				t.Fatalf("seed %d: %d are counted, the shares are %d, the limit is %d", seed, l.Used(what), total, limit)
			}
		}
	}
}

// TestGreedyCrowd: each of many peers that take, one unit after the other, all that they get leaves half of the rest for the
// next, and none of them takes what the node keeps for itself.
func TestGreedyCrowd(t *testing.T) {
	for r := Frames; r < Pooled; r++ {
		l := newLedger()
		most := l.forPeers[r]
		for crowd, left := 0, most; left > 1; crowd++ {
			var s Share
			n := use(l, &s, r)
			if n == 0 || n > (left+1)/2 {
				t.Errorf("resource %d: peer %d gets %d of %d that are left", r, crowd, n, left)
			}
			if left -= n; left != most-l.Used(r) {
				t.Errorf("resource %d: %d are left, want %d", r, most-l.Used(r), left)
			}
			if crowd > 64 {
				t.Fatal("it does not end")
			}
		}
		own := Own()
		if n := use(l, &own, r); l.Used(r) != l.limit[r] || most < l.limit[r] && n < l.limit[r]-most {
			t.Errorf("resource %d: the node itself gets %d beside a crowd, the total is %d of %d", r, n, l.Used(r), l.limit[r])
		}
	}
}
