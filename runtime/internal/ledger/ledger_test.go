package ledger

import (
	"testing"

	"github.com/bbgen/bbgen/runtime/limits"
)

// newLedger returns a ledger with a different limit for each resource.
func newLedger() *Ledger {
	l := &Ledger{}
	l.SetLimits(&limits.Limits{Executions: 16, Commands: 32, Timers: 48, Held: 100, Spooled: 200, IngressBytes: 300, Outbound: 400, OutboundBytes: 500})
	return l
}

// use counts one after the other as long as one more is admitted, and returns how many were.
func use(l *Ledger, s *Share, r Resource) (n int64) {
	for l.Admits(s, r, 1) {
		l.Add(s, r, 1)
		n++
	}
	return n
}

// A peer gets a half of what is left, of which the node keeps an eighth of some resources for itself. The node
// may use all of the rest.
func TestAdmits(t *testing.T) {
	for r, want := range [numResources]struct{ limit, forPeers int64 }{
		Frames: {16, 14}, Commands: {32, 28}, Timers: {48, 42}, Held: {100, 100}, Spooled: {200, 200}, Waiting: {300, 300},
		Envelopes: {400, 400}, Payloads: {500, 500}, Pinned: {500, 500},
	} {
		if r := Resource(r); r != Pooled {
			l, first, second, own := newLedger(), &Share{}, &Share{}, Own()
			if n := use(l, first, r); n != want.forPeers/2 || first.Used(r) != n || l.Used(r) != n {
				t.Errorf("resource %d: a peer uses %d, want a half of %d", r, n, want.forPeers)
			}
			left := want.forPeers - l.Used(r)
			if n := use(l, second, r); n != (left+1)/2 && n != left/2 {
				t.Errorf("resource %d: the next peer uses %d, want a half of %d", r, n, left)
			}
			use(l, &own, r)
			if l.Used(r) != want.limit || l.Admits(nil, r, 1) {
				t.Errorf("resource %d: %d are used in total, want the limit of %d", r, l.Used(r), want.limit)
			}
			l.Add(first, r, -1)
			if !l.Admits(nil, r, 1) || l.Admits(nil, r, 2) || l.Admits(&own, r, 2) || l.Admits(first, r, 1) {
				t.Errorf("resource %d: after one user on a peer has ended, the node may use it, and no further one", r)
			}
		}
	}
	l := newLedger()
	if !l.Admits(nil, Pooled, MaxPooled) || l.Admits(nil, Pooled, MaxPooled+1) {
		t.Error("the limit of pooled memory is another one")
	}
}

// A use that passes from one share to another remains the same in total.
func TestShares(t *testing.T) {
	l, from, to := newLedger(), &Share{}, &Share{}
	l.Add(from, Timers, 3)
	from.Add(Timers, -2)
	to.Add(Timers, 2)
	(*Share)(nil).Add(Timers, 2)
	if from.Used(Timers) != 1 || to.Used(Timers) != 2 || l.Used(Timers) != 3 {
		t.Errorf("%d and %d of %d, want 1 and 2 of 3", from.Used(Timers), to.Used(Timers), l.Used(Timers))
	}
}
