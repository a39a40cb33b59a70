package runtime

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/wire"
)

// worked returns how many fills were examined plus how many blocks have run.
func (r *rig) worked() uint64 {
	s := r.n.Stats()
	return s.Fills + s.Late + s.Refused + s.Duplicates + s.Blocks
}

// pollUntilYield polls until the node yields, or has nothing to do.
func (r *rig) pollUntilYield() (yielded bool) {
	for {
		o, ok := r.n.Poll(0)
		if !ok || o.Kind == Yield {
			return ok
		}
	}
}

// floods are messages that a peer may send as often as it likes. Each envelope of them has so many fills.
var floods = []struct {
	name  string
	fills int
	next  func(r *rig, i uint64) []byte
}{
	{"executions", 2, func(r *rig, i uint64) []byte { return r.envelope(2, i, []byte{1}, 1, 2) }},
	{"fills that came before", 1, func(r *rig, i uint64) []byte { return r.envelope(2, 1, []byte{1}, 1) }},
	{"envelopes of many fills", 40, func(r *rig, i uint64) []byte {
		return r.envelope(2, i, []byte{1}, slices.Repeat([]wire.EdgeID{1}, 40)...)
	}},
}

// Whatever one peer sends, a message of another peer waits for one quantum, or for one envelope if that is
// more.
func TestFloodDelays(t *testing.T) {
	for _, f := range floods {
		for _, count := range []int{100, 2000} {
			r := newRig(t, func(l *limits.Limits) { l.Ingress = 3 * count })
			for i := range count {
				if err := r.n.Deliver(0, testPeer(2), f.next(r, uint64(i+1))); err != nil {
					t.Fatal(err)
				}
			}
			r.pollUntilYield()
			r.deliver(3, 1, []byte{77}, 1, 2)
			before := r.worked()
			for r.got = nil; len(r.got) == 0 || r.got[len(r.got)-1] != 77; {
				if !r.pollUntilYield() {
					t.Fatal("it is never read")
				}
			}
			if n, limit := r.worked()-before, uint64(2*quantum+2*f.fills+4); n > limit {
				t.Errorf("%s: an execution behind %d envelopes waits for %d operations, want at most %d", f.name, count, n, limit)
			}
		}
	}
}

// Peers that both send more than is read are served equally, whatever their envelopes cost, and also if they
// send one at a time.
func TestFloodsShare(t *testing.T) {
	for _, ahead := range []uint64{1, 100} {
		r := newRig(t, func(*limits.Limits) {})
		sent := uint64(0)
		for i := range uint64(1000) {
			r.deliver(3, i+1, []byte{1}, 1, 2)
		}
		for range 50 {
			for ; sent < r.n.peer(testPeer(2)).inbox.Came()+ahead; sent++ {
				if err := r.n.Deliver(0, testPeer(2), floods[2].next(r, sent+1)); err != nil {
					t.Fatal(err)
				}
			}
			r.pollUntilYield()
		}
		long, short := int(r.n.peer(testPeer(2)).inbox.Came())*(1+40), int(r.n.peer(testPeer(3)).inbox.Came())*(1+2)
		if long+short < 50*quantum || long > short+2*40 || short > long+2*40 {
			t.Errorf("%d ahead: the peer of long envelopes has %d operations, the one of short envelopes %d", ahead, long, short)
		}
	}
}

// For a peer whose queue is never empty, the buffer holds only the unread envelopes.
func TestFloodBuffer(t *testing.T) {
	r := newRig(t, func(l *limits.Limits) { l.Ingress = 64 })
	sent := 0
	for i := uint64(1); i < 2000; {
		b := r.envelope(2, i, make([]byte, 1000), 1, 2)
		for r.n.Deliver(0, testPeer(2), b) == nil {
			i, sent = i+1, sent+len(b)
			b = r.envelope(2, i, make([]byte, 1000), 1, 2)
		}
		r.seq[2]-- // the last one comes again
		r.pollUntilYield()
	}
	q := r.n.peer(testPeer(2)).intake
	if q == nil || cap(q.buf) > 5*q.bytes {
		t.Errorf("of %d bytes that came %d wait, in a buffer of %d", sent, q.bytes, cap(q.buf))
	}
}
