package runtime

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/wire"
)

// asking returns a node in which each execution asks peers 2 to 6 once, and needs the answers of all.
func asking(t *testing.T, executions int, invoked bool) *rig {
	t.Helper()
	r := &rig{t: t, seq: map[byte]uint64{}}
	kind := FillCut
	if invoked {
		kind = InputCut
	}
	ask := testModule("ask", []Cut{{Kind: kind}, {Kind: GatherCut}, {Kind: FillCut}}, []Block{{Wait: 1, Starts: 2}, {Wait: 6}},
		func(f *testBody, e *Engine) error {
			e.Expect(&f.Frame, 1, e.Peers(nil, "b"), 0, 0, 0)
			return nil
		}, nothing)
	if invoked {
		ask.Inputs = []int{0}
	}
	each := testModule("each", []Cut{{Kind: FillCut}}, []Block{{Wait: 1}}, nothing)
	each.Child, each.ParentCut = true, 1
	lim := limits.Default()
	lim.Executions = executions
	p := &Partition{Fingerprint: []byte{1}, Modules: []Module{ask, each}, Edges: []Edge{
		{ID: 1, Type: 1, Name: "b.ask", From: "b", Receives: true},
		{ID: 2, Type: 1, Name: "b.answer", From: "b", Origins: []string{"b"}, Receives: true, Module: 1},
		{ID: 3, Type: 1, Name: "b.end", From: "b", Receives: true, Cut: 2},
	}}
	c := Config{Limits: lim}
	for i := range byte(5) {
		c.Peers = append(c.Peers, PeerConfig{ID: testPeer(2 + i), Class: "b", Rank: int(i)})
	}
	r.n = testNode(t, c, p)
	r.poll()
	for i := range byte(5) {
		r.connect(2 + i)
	}
	return r
}

// answer makes peers 2 to 6 answer in an execution.
func (r *rig) answer(origin byte, number uint64) {
	r.t.Helper()
	for from := byte(2); from <= 6; from++ {
		r.as(from, origin, number, 1, 2)
	}
}

// Peers that answer requests of the node do not use up each other's shares: as many answers arrive as there is
// room for, and none is refused because of another peer.
func TestAnswersInOwnShare(t *testing.T) {
	r := asking(t, 64, true)
	for number := range uint64(10) { // 60 frames with their answers
		if _, err := r.n.Invoke(0, "ask", nil); err != nil {
			t.Fatal(err)
		}
		r.poll()
		r.answer(1, number+1)
	}
	if s := r.n.Stats(); s.Live != 60 || s.Refused != 0 {
		t.Errorf("%d frames live, %d answers are refused, want 60 and none: %+v", s.Live, s.Refused, r.events)
	}
}

// Answers to requests of a peer's executions count in the share of that peer, before and after a restart: it
// cannot use up the room of others with them.
func TestAnswersInAskersShare(t *testing.T) {
	r := asking(t, 64, false)
	for number := range uint64(50) {
		before := r.n.ledger.Used(ledger.Frames)
		if r.as(2, 2, number+1, 1, 1); r.n.ledger.Used(ledger.Frames) > before { // otherwise an answer would open it
			r.answer(2, number+1)
		}
	}
	shares := func(n *Node) (list []int64) {
		for i := range byte(5) {
			list = append(list, n.peer(testPeer(2+i)).uses.Used(ledger.Frames))
		}
		return list
	}
	want := []int64{28, 0, 0, 0, 0} // a half of the peers' part, which is 7/8 of all
	if got := shares(r.n); !slices.Equal(got, want) {
		t.Errorf("shares are %d, want %d", got, want)
	}
	r.as(3, 3, 1, 1, 1)
	r.answer(3, 1)
	want[1] = 6
	if got := shares(r.n); !slices.Equal(got, want) {
		t.Errorf("another peer asks, too: shares are %d, want %d", got, want)
	}
	b, err := r.n.Snapshot(nil)
	if err != nil {
		t.Fatal(err)
	}
	n, err := Restore(r.n.config, r.n.partition, b)
	if err != nil {
		t.Fatal(err)
	}
	if got := shares(n); !slices.Equal(got, want) {
		t.Errorf("restored: shares are %d, want %d", got, want)
	}
}

// A contribution that arrives before it was requested counts in the share of its sender until it is requested.
func TestEarlyAnswerChangesShares(t *testing.T) {
	r := asking(t, 64, false)
	share := func(want int64) {
		t.Helper()
		if got := r.n.peer(testPeer(3)).uses.Used(ledger.Frames); got != want {
			t.Errorf("%d frames are in the share of who answers, want %d", got, want)
		}
	}
	r.as(2, 2, 1, 1, 3) // opens the execution, which has not asked yet
	r.as(3, 2, 1, 1, 2)
	share(1)
	r.as(2, 2, 1, 1, 1)
	share(0)
}

// A peer whose executions have many timers uses only its share of them: those of others and of the node itself
// work, and its share is free again when the executions have ended.
func TestSharesOfTimers(t *testing.T) {
	slow := testModule("slow", []Cut{{Kind: FillCut}, {Kind: FillCut, Within: 100}, {Kind: FillCut, Within: 100}}, []Block{{Wait: 7}}, nothing)
	own := testModule("own", []Cut{{Kind: TimerCut}}, []Block{{Starts: 1}, {Wait: 1}},
		func(f *testBody, e *Engine) error { e.After(&f.Frame, 0, 10); return nil },
		func(f *testBody, e *Engine) error { e.Publish(&f.Frame, "went on"); return nil })
	lim := limits.Default()
	lim.Timers = 64
	p := &Partition{Fingerprint: []byte{1}, Modules: []Module{slow, own}}
	for cut := range 3 {
		p.Edges = append(p.Edges, Edge{ID: wire.EdgeID(cut + 1), Type: 1, Name: "b", From: "b", Receives: true, Cut: cut})
	}
	r := &rig{t: t, seq: map[byte]uint64{}}
	r.n = testNode(t, Config{Limits: lim, Peers: []PeerConfig{{ID: testPeer(2), Class: "b"}, {ID: testPeer(3), Class: "b", Rank: 1}}}, p)
	r.poll()
	r.connect(2)
	r.connect(3)
	share := func(peer byte, want int64) {
		t.Helper()
		if got := r.n.peer(testPeer(peer)).uses.Used(ledger.Timers); got != want {
			t.Errorf("peer %d has %d timers, want %d", peer, got, want)
		}
	}
	for i := range uint64(100) {
		r.as(2, 2, i+1, 1, 1)
	}
	share(2, 28) // a half of the peers' part, which is 7/8 of all
	r.as(3, 3, 1, 1, 1)
	share(3, 2)
	for range 8 {
		if _, err := r.n.Invoke(0, "own"); err != nil {
			t.Fatal(err)
		}
	}
	wantEvents(t, slices.DeleteFunc(pollAll(r.n, 0), func(e string) bool { return e != "overflow timers" }))
	r.n.Tick(1000)
	r.poll()
	share(2, 0)
	share(3, 0)
	if r.n.ledger.Used(ledger.Timers) != 0 {
		t.Errorf("%d timers are counted, and all are over", r.n.ledger.Used(ledger.Timers))
	}
	r.as(2, 2, 200, 1, 1)
	share(2, 2)
}

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
		for i < 2000 && r.n.Deliver(0, testPeer(2), b) == nil {
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
