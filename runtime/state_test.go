package runtime

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// The parts of a Node's state that depend on its types, each without a Node.

// TestTurns: peers with messages are read in turn. What a peer was read for beyond its quantum is taken from its
// next turns, and a peer that is alone begins anew.
func TestTurns(t *testing.T) {
	var in ingress
	peers := map[string]*peer{"a": {}, "b": {}}
	for range 3 {
		in.add(peers["a"], arrival{borrowed: &borrowed{}})
	}
	for range 100 {
		in.add(peers["b"], arrival{borrowed: &borrowed{}})
	}
	cost := map[string]int{"a": quantum * 5 / 2, "b": 1}
	var got []string
	for in.turns.Len() > 0 {
		p := in.turn()
		name := "a"
		if p == peers["b"] {
			name = "b"
		}
		credit, read := p.credit, 0
		for ; p.credit > 0 && p.intake.queue.Len() > 0; read++ {
			in.next(p.intake)
			p.credit -= cost[name]
		}
		in.end(p)
		got = append(got, fmt.Sprintf("%s%d:%d", name, credit, read))
	}
	const want = "a32:1 b32:32 a-16:0 b32:32 a16:1 b32:32 a-32:0 b32:4 a32:1"
	if got := strings.Join(got, " "); got != want {
		t.Errorf("peer, credit and envelopes of each turn:\n got %s\nwant %s", got, want)
	}
	if in.n != 0 || peers["a"].intake != nil || peers["b"].intake != nil {
		t.Errorf("%d envelopes are left, of %+v", in.n, peers)
	}
	if a, b := peers["a"].credit, peers["b"].credit; a != 32-cost["a"] || b != 0 {
		t.Errorf("credits of %d and %d are kept, want the debt of a and nothing of b", a, b)
	}
}

// TestIngressBytes: copied and lent envelopes come out in their order with their bytes, which are counted, also
// after read bytes have made room for others.
func TestIngressBytes(t *testing.T) {
	var in ingress
	p := &peer{}
	write := func(s string) { in.written(p, append(in.space(p, len(s)), s...)) }
	next := func() string {
		a, b := in.next(p.intake)
		if a.borrowed != nil {
			b = a.borrowed.bytes
		}
		return string(b)
	}
	write(strings.Repeat("x", 100))
	write("one")
	in.add(p, arrival{len: 4, borrowed: &borrowed{bytes: []byte("lent")}})
	write("two")
	if in.n != 4 || in.bytes != 110 || p.intake.bytes != 110 {
		t.Errorf("%d envelopes of %d bytes, %d of them of the peer, want 4 of 110", in.n, in.bytes, p.intake.bytes)
	}
	next()
	size := cap(p.intake.buf)
	write(strings.Repeat("y", size-20)) // fits where the x were, and nowhere else
	if got := cap(p.intake.buf); got != size || p.intake.read != 0 {
		t.Errorf("a buffer of %d bytes for %d, of which %d were read before, want %d", got, size-14, p.intake.read, size)
	}
	if got := []string{next(), next(), next()}; fmt.Sprint(got) != "[one lent two]" {
		t.Errorf("got %v", got)
	}
	if got := next(); got != strings.Repeat("y", size-20) || in.bytes != 0 || p.intake.bytes != 0 {
		t.Errorf("%d bytes, and %d are left", len(got), in.bytes)
	}
}

// TestIngressRoom: the limits hold for the number and for the bytes of envelopes, and no peer gets more than its
// fair share of what the others leave.
func TestIngressRoom(t *testing.T) {
	l := &limits.Limits{Ingress: 8, IngressBytes: 80}
	tests := []struct {
		what         string
		others, own  int // envelopes
		size, wanted int // bytes of each, and of the one that comes
		fits         bool
	}{
		{"the first", 0, 0, 1, 1, true},
		{"as many as the limit leaves", 0, 3, 1, 1, true},
		{"half of all is one peer's share", 0, 4, 1, 1, false},
		{"the share shrinks by what others have", 4, 2, 1, 1, false},
		{"another peer still has a share", 4, 1, 1, 1, true},
		{"nothing is left", 8, 0, 1, 1, false},
		{"bytes", 1, 1, 20, 20, true},
		{"too many bytes", 1, 1, 20, 21, false},
	}
	for _, tt := range tests {
		var in ingress
		p, other := &peer{}, &peer{}
		for range tt.own {
			in.add(p, arrival{len: tt.size})
		}
		for range tt.others {
			in.add(other, arrival{len: tt.size})
		}
		if got := in.hasRoom(p, tt.wanted, l); got != tt.fits {
			t.Errorf("%s: there is room: %v, want %v", tt.what, got, tt.fits)
		}
	}
}

// TestEmptyQueues: queues of peers that have nothing to read are used for others, without a large buffer, and not
// many are kept.
func TestEmptyQueues(t *testing.T) {
	var in ingress
	peers := make([]peer, keepIntakes+1)
	for i := range peers {
		p := &peers[i]
		size := 10
		if i == 0 {
			size = keepIntake + 1
		}
		in.written(p, append(in.space(p, size), make([]byte, size)...))
	}
	for range peers {
		p := in.turn()
		in.next(p.intake)
		in.end(p)
	}
	if len(in.free) != keepIntakes || in.free[0].buf != nil || cap(in.free[1].buf) == 0 {
		t.Errorf("%d queues are kept, want %d; the first has a buffer of %d bytes", len(in.free), keepIntakes, cap(in.free[0].buf))
	}
	last := in.free[len(in.free)-1]
	if q := in.of(&peers[3]); q != last || q.read != 0 || len(q.buf) != 0 || in.of(&peers[3]) != q {
		t.Errorf("a peer does not get the empty queue that was there: %+v", q)
	}
}

func historyOf(origin byte, module int) historyKey { return historyKey{testPeer(origin), 1, module} }

// TestWindow checks which executions a history remembers as finished.
func TestWindow(t *testing.T) {
	var d histories
	mark := func(i uint64, module int) {
		h := d.find(historyOf(1, module))
		if h == nil {
			h = d.begin(historyOf(1, module), nil)
		}
		d.finish(h, nil, i, 2)
	}
	has := func(i uint64, module int) bool { return d.find(historyOf(1, module)).over(i, nil) }
	for _, i := range []uint64{3, 1, 1000, 1024, 5000, 5000, 1 << 40} {
		mark(i, 0)
		if !has(i, 0) || has(i+1, 0) || has(i, 1) {
			t.Errorf("%d: %v %v %v", i, has(i, 0), has(i+1, 0), has(i, 1))
		}
	}
	if !has(4, 0) {
		t.Error("what lies far behind is open")
	}
	mark(1, 1)
	mark(1, 2)
	if has(3, 0) || d.all.Len() != 2 || d.kept != 2 {
		t.Errorf("%d histories are remembered, want 2", d.all.Len())
	}
}

// TestWindowModel compares windows with a list of all marks: a number within the last windowSize - 64 is known exactly, what is
// far behind counts as finished, and nothing after the largest mark does. Numbers go up to the largest that there is.
func TestWindowModel(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		at := []uint64{0, 1, 1 << 20, 1<<63 - 5000, math.MaxUint64 - 20000}[seed%5]
		var w window
		marked, top := map[uint64]bool{}, uint64(0)
		for range 200 {
			number := at + r.Uint64N(1<<r.IntN(12))
			if r.IntN(8) == 0 {
				number -= min(number, r.Uint64N(3000)) // late
			}
			before := w.base
			w.mark(number)
			marked[number], top = true, max(top, number)
			at = min(max(at, number), math.MaxUint64-5000)
			if w.base < before || w.base%64 != 0 || top-w.base >= windowSize {
				t.Fatalf("seed %d: the window begins at %d, was %d, the latest is %d", seed, w.base, before, top)
			}
			for range 50 {
				x := top - min(top, r.Uint64N(2*windowSize))
				if x >= w.base && w.has(x) != marked[x] {
					t.Fatalf("seed %d: %d is marked: %v", seed, x, !marked[x])
				}
				if top-x < windowSize-64 && x < w.base {
					t.Fatalf("seed %d: %d is before the window from %d, and the latest is %d", seed, x, w.base, top)
				}
			}
			if w.has(top+1) && !marked[top+1] || w.has(w.base-1) || w.has(w.base+windowSize) && w.base+windowSize > w.base {
				t.Fatalf("seed %d: a number beyond the window from %d is marked", seed, w.base)
			}
		}
	}
}

// TestHistoryBounds: whatever peers finish, no more windows are remembered than the limit, what is counted is there, and a peer
// that has finished little does not lose it to one that finishes much.
func TestHistoryBounds(t *testing.T) {
	const limit = 20
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 2))
		var d histories
		modest := &peer{id: testPeer(99)}
		d.finish(d.begin(historyOf(50, 0), nil), modest, 7, limit)
		greedy := make([]*peer, 1+r.IntN(5))
		for i := range greedy {
			greedy[i] = &peer{id: testPeer(byte(1 + i))}
		}
		for range 300 {
			k := historyKey{testPeer(byte(60 + r.IntN(9))), r.Uint64N(9), r.IntN(3)}
			h := d.find(k)
			if h == nil {
				h = d.begin(k, nil)
			}
			by := greedy[r.IntN(len(greedy))]
			number := r.Uint64N(1 << 20)
			d.finish(h, by, number, limit)
			if !h.over(number, by) {
				t.Fatalf("seed %d: what has just finished has not", seed)
			}
			kept := d.own.Len() + modest.finished.Len()
			for _, p := range greedy {
				kept += p.finished.Len()
			}
			if d.kept != kept || d.kept > limit {
				t.Fatalf("seed %d: %d windows are counted, there are %d, want at most %d", seed, d.kept, kept, limit)
			}
		}
		if h := d.find(historyOf(50, 0)); h == nil || !h.over(7, modest) {
			t.Errorf("seed %d: %d peers have displaced the only execution of another", seed, len(greedy))
		}
	}
}

// TestForgetsGreediest: if there is no room for another window, the oldest of the peer goes that wants it, or, if
// it has none, of the peer with the most. A history without windows and frames goes with its last window.
func TestForgetsGreediest(t *testing.T) {
	var d histories
	modest, greedy := &peer{id: testPeer(2)}, &peer{id: testPeer(3)}
	const limit = 4
	finish := func(module int, by *peer) {
		d.finish(d.begin(historyOf(1, module), nil), by, 1, limit)
	}
	finish(0, greedy)
	finish(1, greedy)
	finish(2, greedy) // more than its fair share: its first is forgotten
	if d.find(historyOf(1, 0)) != nil || greedy.finished.Len() != 2 || d.kept != 2 {
		t.Errorf("the peer has %d windows of %d, want 2 without its oldest", greedy.finished.Len(), d.kept)
	}
	finish(3, nil)
	finish(4, nil)
	finish(5, modest) // all are taken, and the peer has none
	if d.find(historyOf(1, 1)) != nil && d.find(historyOf(1, 3)) != nil || d.kept > limit {
		t.Errorf("%d windows are remembered, want at most %d and not the oldest of the peer with the most", d.kept, limit)
	}
	if h := d.find(historyOf(1, 5)); !h.over(1, modest) || modest.finished.Len() != 1 {
		t.Error("the execution of the peer that had none is not remembered")
	}
	for d.by(greedy).Len() > 0 {
		d.forget(greedy)
	}
	for _, p := range d.holders {
		if p == greedy {
			t.Error("a peer without windows is still among those that have some")
		}
	}
}

// TestOver: what a peer says of executions of others affects only its own fills; what the node or the origin
// finished is finished for all. A number before the window counts as finished for the peer that moved the window,
// and for nobody else.
func TestOver(t *testing.T) {
	origin, liar, other := &peer{id: testPeer(1)}, &peer{id: testPeer(2)}, &peer{id: testPeer(3)}
	tests := []struct {
		what   string
		by     *peer
		mark   uint64
		number uint64
		from   *peer
		over   bool
	}{
		{"marked by the node", nil, 5, 5, other, true},
		{"not marked", nil, 5, 4, other, false},
		{"beyond the latest", nil, 5, 6, other, false},
		{"before the window of the node", nil, 5000, 1, other, true},
		{"before the window of the origin", origin, 5000, 1, other, true},
		{"before the window of a peer, for it", liar, 5000, 1, liar, true},
		{"before the window of a peer, for another", liar, 5000, 1, other, false},
		{"marked by a peer", liar, 5, 5, other, true},
	}
	for _, tt := range tests {
		var d histories
		h := d.begin(historyOf(1, 0), origin)
		d.finish(h, tt.by, tt.mark, 10)
		if got := h.over(tt.number, tt.from); got != tt.over {
			t.Errorf("%s: execution %d is over: %v, want %v", tt.what, tt.number, got, tt.over)
		}
	}
	if (*history)(nil).over(1, other) {
		t.Error("an execution of no history is over")
	}
}

// TestLiveFrames: a frame is found by its number alone, as long as it lives, and its history goes with it if nothing of
// it has finished.
func TestLiveFrames(t *testing.T) {
	var d histories
	key := historyOf(1, 0)
	h := d.begin(key, nil)
	frames := map[uint64]*Frame{}
	for _, number := range []uint64{7, 3} {
		frames[number] = &Frame{execution: execution{exec: wire.ExecID{Origin: key.origin, Incarnation: key.incarnation, Number: number}}}
		h.add(frames[number])
	}
	for number := range uint64(10) {
		if got := h.frame(number); got != frames[number] {
			t.Errorf("execution %d has frame %p, want %p", number, got, frames[number])
		}
	}
	if h.top != 7 {
		t.Errorf("the latest execution is %d, want 7", h.top)
	}
	d.remove(frames[3])
	if h.frame(3) != nil || d.find(key) != h {
		t.Error("a frame that was removed is found, or its history is gone while another lives")
	}
	d.remove(frames[7])
	if x := (wire.ExecID{Origin: key.origin, Incarnation: key.incarnation}); d.of(&x, 0) != nil || d.find(key) != nil {
		t.Error("a history without frames and windows is kept")
	}
	if (*history)(nil).frame(1) != nil {
		t.Error("no history has a frame")
	}
}

// collectives returns a partition with three collectives of class a, of which edges 1 and 3 are received, and one
// of class b.
func collectives() *Partition {
	edge := func(name, from string, receives bool) Edge {
		return Edge{Name: name, From: from, Receives: receives, Collective: &Collective{Spec: collective.Spec{Kind: collective.Barrier}, IfLost: collective.Fail}}
	}
	return &Partition{Edges: []Edge{{Name: "plain", From: "a", Receives: true}, edge("first", "a", true), edge("sent", "a", false), edge("second", "a", true), edge("other", "b", true)}}
}

// TestCommunicators: each class with collectives that are received has one communicator, with a stream for each.
func TestCommunicators(t *testing.T) {
	list := communicators(collectives())
	if len(list) != 2 || list[0].class != "a" || list[1].class != "b" {
		t.Fatalf("%d communicators, want one of class a and one of class b", len(list))
	}
	for edge, want := range [][2]int{{-1, -1}, {0, -1}, {-1, -1}, {1, -1}, {-1, 0}} {
		for i, c := range list {
			if got := c.stream(edge); got != want[i] {
				t.Errorf("edge %d is stream %d of class %s, want %d", edge, got, c.class, want[i])
			}
		}
	}
	l := limits.Default()
	if c := list[0].config(collectives(), &l, 3); len(c.Streams) != 2 || c.Ranks != 3 || c.IfLost != collective.Fail {
		t.Errorf("a group has %d streams of %d ranks, IfLost %v", len(c.Streams), c.Ranks, c.IfLost)
	}
}

// TestGroupChunk: chunks of a group fit the limits of a node, also with what an envelope adds to them.
func TestGroupChunk(t *testing.T) {
	c := communicators(collectives())[0]
	for _, tt := range []struct{ chunk, envelope, want int }{
		{1 << 30, 1 << 30, collective.DefaultChunk},
		{1000, 1 << 30, 1000},
		{1 << 30, 3000, 1500},
	} {
		var l limits.Limits
		l.Wire.Chunk, l.Wire.Envelope = tt.chunk, tt.envelope
		if got := c.config(collectives(), &l, 2).Chunk; got != tt.want {
			t.Errorf("chunks of %d bytes with limits of %d and %d for an envelope, want %d", got, tt.chunk, tt.envelope, tt.want)
		}
	}
}

// TestEarlyCalls: what comes before the first call is copied and kept, up to a limit for each peer, so that no peer
// takes the place of another. What comes again takes no place.
func TestEarlyCalls(t *testing.T) {
	c := communicators(collectives())[0]
	p, q := &peer{}, &peer{}
	const most = 4 * 2 * collective.DefaultEager // two streams
	data := make([]byte, most/2-64)
	data[0] = 1
	for i := range 2 {
		for range 3 { // on a connection each
			if has, ok := c.keep(p, &collective.Message{Call: uint64(i), Data: data}); !ok {
				t.Fatalf("no room beside %d bytes of %d", has, most)
			}
		}
	}
	if has, ok := c.keep(p, &collective.Message{}); ok || has != most {
		t.Errorf("a message without data is kept beside %d bytes, want %d and no room", has, most)
	}
	if _, ok := c.keep(q, &collective.Message{Data: data}); !ok {
		t.Error("a peer has no room after another one has filled its own")
	}
	data[0] = 2
	if len(c.early) != 3 || c.early[0].message.Data[0] != 1 {
		t.Errorf("%d messages are kept, the first with the data of a later one: their bytes are borrowed", len(c.early))
	}
}

// TestCallWaiters: a cut point is found among those that wait for results of any stream, and the frame that took
// the memory of its frame later is not.
func TestCallWaiters(t *testing.T) {
	c := communicators(collectives())[0]
	f, other := &Frame{}, &Frame{}
	if c.isAwaited() {
		t.Error("a result is awaited before a call")
	}
	c.waiting[0].Push(callWaiter{}) // of a call that failed here
	c.waiting[1].Push(callWaiter{waiter: waiter{other.ref(), 2}})
	c.waiting[1].Push(callWaiter{waiter: waiter{f.ref(), 2}, number: 7})
	if w, stream := c.waits(f.ref(), 2); w == nil || stream != 1 || w.number != 7 {
		t.Errorf("cut point 2 waits for %+v of stream %d, want call 7 of stream 1", w, stream)
	}
	if w, _ := c.waits(f.ref(), 1); w != nil || !c.isAwaited() {
		t.Error("cut point 1 waits for a result that nobody has called")
	}
	f.gen++
	if w, _ := c.waits(f.ref(), 2); w != nil {
		t.Error("a later execution waits for the result of an earlier one in its memory")
	}
}

// The tests find references that are released too early.
func TestMain(m *testing.M) {
	tensor.Poison(tensor.Large)
	os.Exit(m.Run())
}

// A peer of two classes draws the random numbers that two peers would draw, and after
// a restart those that come next.
func TestSources(t *testing.T) {
	part := func(class string, drawn *[]uint64) *Partition {
		m := testModule(class, nil, []Block{{}}, func(f *testBody, e *Engine) error {
			*drawn = append(*drawn, e.node().Rand().Uint64())
			return nil
		})
		return &Partition{Class: class, Modules: []Module{m}}
	}
	play := func(n *Node, modules ...string) {
		t.Helper()
		pollAll(n, 0)
		for _, m := range modules {
			if _, err := n.Invoke(0, m); err != nil {
				t.Fatal(err)
			}
			pollAll(n, 0)
		}
	}
	c := Config{Self: testPeer(1), Incarnation: 1, Seed: 7, Rank: 2}
	node := func(p *Partition) *Node {
		n, err := New(c, p)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	var a, b, joinedA, joinedB []uint64
	play(node(part("a", &a)), "a", "a", "a")
	play(node(part("b", &b)), "b", "b")
	joined := func() *Partition {
		p, err := Join(part("a", &joinedA), part("b", &joinedB))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	n := node(joined())
	play(n, "a", "b", "a")
	snapshot, err := n.Snapshot(nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err = Restore(c, joined(), snapshot); err != nil {
		t.Fatal(err)
	}
	play(n, "b", "a")
	if !slices.Equal(joinedA, a) || !slices.Equal(joinedB, b) || slices.Equal(a[:2], b) {
		t.Errorf("joined: %d and %d, want %d and %d", joinedA, joinedB, a, b)
	}
}

// TestCommandsInTurn: commands of a slot run one at a time, in their order, and those of another slot beside them. Only the
// first completion of a command counts.
func TestCommandsInTurn(t *testing.T) {
	f := &Frame{module: &module{Module: &Module{Cuts: []Cut{{Slot: 0}, {Slot: 0}, {Slot: 1}}}}}
	c := commands{slots: make([]slot, 2)}
	for cut := range 3 {
		if at := c.add(f, cut); at != cut/2 {
			t.Errorf("command %d waits for slot %d", cut, at)
		}
	}
	next := func(slot, want int) (id CommandID) {
		t.Helper()
		x, ok := c.next(slot)
		if got := x.cut; ok != (want >= 0) || ok && got != want {
			t.Fatalf("slot %d runs %d, %v, want %d", slot, got, ok, want)
		}
		if ok {
			id = c.run(x)
		}
		return id
	}
	first := next(0, 0)
	next(0, -1)
	other := next(1, 2)
	if !c.isBusy(0) || !c.isBusy(1) || c.running != 2 || first == other {
		t.Errorf("two commands run: %+v", c)
	}
	if err := errors.Join(c.complete(first, ErrEmpty), c.complete(first, nil)); err != nil { // both come before the next Poll
		t.Fatal(err)
	}
	if x, err, ok := c.taken(); !ok || x.cut != 0 || err != ErrEmpty || c.isBusy(0) {
		t.Errorf("got %+v, %v, %v", x, err, ok)
	}
	if x, _, ok := c.taken(); ok {
		t.Errorf("the second completion counts: %+v", x)
	}
	second := next(0, 1)
	if err := c.complete(first, nil); err != ErrNoCommand || second == first {
		t.Errorf("a command that has ended: %v", err)
	}
	if err := c.complete(1<<40, nil); err != ErrNoCommand {
		t.Errorf("a command that there never was: %v", err)
	}
}

// TestReportsWait: results wait for their snapshot, other events do not, and what is too much is dropped and counted.
func TestReportsWait(t *testing.T) {
	r := reports{durable: true, limit: 2, listens: 1 << Overflow}
	r.toHost(Event{Kind: Finished, Name: "result"}, 1)
	r.toHost(Event{Kind: PeerUp}, 1)
	if e := r.next(); e == nil || e.Kind != PeerUp || r.next() != nil || len(r.untaken()) != 1 {
		t.Errorf("the host is told of %v, and %d results wait", e, len(r.untaken()))
	}
	if r.release(func(epoch uint64) bool { return epoch < 1 }) == false || r.next() != nil {
		t.Error("a result is told before its snapshot is durable")
	}
	if r.release(func(uint64) bool { return true }) || len(r.untaken()) != 1 {
		t.Error("a result waits although its snapshot is durable, or is not in the next one")
	}
	if e := r.next(); e == nil || e.Name != "result" || len(r.untaken()) != 0 {
		t.Errorf("the host is told of %v", e)
	}
	for range 3 {
		r.toHost(Event{Kind: PeerDown}, 1)
		r.toModules(Event{Kind: Overflow})
		r.toModules(Event{Kind: PeerDown}) // nobody waits for it
	}
	if r.events.Len() != 2 || len(r.batch()) != 2 || r.lost != 2 || len(r.batch()) != 0 {
		t.Errorf("%d events, %d were lost", r.events.Len(), r.lost)
	}
}

// Components notify only while a block runs, under topics that hosts can tell from others, with values within the limit.
func TestNotify(t *testing.T) {
	r := newRig(t, func(l *limits.Limits) { l.Wire.Fill = 64 })
	if err := r.n.Notify("a", nil); err == nil {
		t.Error("a component notifies when none runs")
	}
	r.n.running = &Frame{module: &r.n.modules[0]}
	for _, topic := range []string{"", LoopDone, LoopBegun, "a.b", "a b", "a\x00", string(make([]byte, MaxTopic+1))} {
		if err := r.n.Notify(topic, nil); err == nil {
			t.Errorf("%q is a topic", topic)
		}
	}
	x := tensor.Of([]float64{1, 2}, 2)
	if err := r.n.Notify("seen", x); err != nil {
		t.Fatal(err)
	}
	x.Data.([]float64)[0] = 9
	for _, large := range []*tensor.Tensor{tensor.Of(make([]float64, 9), 9), tensor.Of([]string{"a", "b", "c", string(make([]byte, 14))}, 4)} {
		if err := r.n.Notify("large", large); err == nil {
			t.Errorf("%v is within 64 bytes", large)
		}
	}
	r.n.running = nil
	r.poll()
	if e := r.last(Published); e.Name != "seen" || e.Module != r.n.modules[0].Name || !tensor.Equal(e.Value.(*tensor.Tensor), tensor.Of([]float64{1, 2}, 2)) {
		t.Errorf("the host gets %+v", e)
	}
}
