package runtime

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/values/spooltest"
	"github.com/bbgen/bbgen/runtime/wire"
)

// rig is a node with two peers of class b, 2 and 3, and the events that it has told.
type rig struct {
	t      *testing.T
	n      *Node
	seq    map[byte]uint64
	events []Event
	kinds  []OutputKind
	got    []byte // the first byte of the payloads of executions that ended
	asked  string // the class that module all asks
}

// pairs is a module that waits for two fills of an execution.
func (r *rig) pairs() Module {
	m := testModule("pair", []Cut{{Kind: FillCut, Name: "x"}, {Kind: FillCut, Name: "y"}}, []Block{{Wait: 3}}, nil)
	m.New = func() Body { return &pairBody{r: r} }
	return m
}

// gather returns a module that a fill opens and that then asks peers for another fill, each in a child frame,
// and a module that the host invokes and that waits for a fill.
func (r *rig) gather() []Module {
	ask := func(f *testBody, e *Engine) error {
		e.Expect(&f.Frame, 1, e.Peers(nil, r.asked), 1, 1, 1e9)
		return nil
	}
	all := testModule("all", []Cut{{Kind: FillCut}, {Kind: GatherCut}}, []Block{{Wait: 1, Starts: 2}, {Wait: 2}}, ask, nothing)
	each := testModule("each", []Cut{{Kind: FillCut}}, []Block{{Wait: 1}}, nothing)
	each.Child, each.Parent, each.ParentCut = true, 1, 1
	asked := testModule("asked", []Cut{{Kind: InputCut}, {Kind: FillCut}}, []Block{{Wait: 3}}, nothing)
	asked.Inputs = []int{0}
	return []Module{all, each, asked}
}

type pairBody struct {
	Frame
	r *rig
	x byte
}

func (f *pairBody) Run(*Engine, int) error { f.r.got = append(f.r.got, f.x); return nil }
func (f *pairBody) Fill(_ int, fill *wire.SlotFill) error {
	b, err := values.Payload(fill)
	if err == nil {
		f.x = b[0]
	}
	return err
}

func newRig(t *testing.T, set func(*limits.Limits), modules ...Module) *rig {
	t.Helper()
	r := &rig{t: t, seq: map[byte]uint64{}, asked: "b"}
	lim := limits.Default()
	set(&lim)
	p := &Partition{Fingerprint: []byte{1}, Slots: []string{"s"}, Modules: slices.Concat([]Module{r.pairs()}, r.gather(), modules), Edges: []Edge{
		{ID: 1, Type: 1, Name: "b.x", From: "b", Origins: []string{"b"}, InParts: true, Receives: true, Cut: 0},
		{ID: 2, Type: 1, Name: "b.y", From: "b", Origins: []string{"b"}, InParts: true, Receives: true, Cut: 1},
		{ID: 3, Type: 1, Name: "self.z", From: "self"},
		{ID: 4, Type: 1, Name: "b.answer", From: "b", Receives: true, Module: 2, Cut: 0},
		{ID: 5, Type: 1, Name: "b.ask", From: "b", Receives: true, Module: 1, Cut: 0},
		{ID: 6, Type: 1, Name: "b.update", From: "b", Receives: true, Module: 3, Cut: 1},
	}}
	r.n = testNode(t, Config{Limits: lim, Peers: []PeerConfig{{ID: testPeer(2), Class: "b"}, {ID: testPeer(3), Class: "b", Rank: 1}}}, p)
	r.poll()
	r.connect(2)
	r.connect(3)
	return r
}

// askOther makes module all ask a peer that never connects.
func (r *rig) askOther() {
	r.t.Helper()
	if err := r.n.Allow(PeerConfig{ID: testPeer(4), Class: "c"}); err != nil {
		r.t.Fatal(err)
	}
	r.asked = "c"
}

func (r *rig) connect(peer byte) {
	r.t.Helper()
	r.seq[peer] = 0
	if err := r.n.Connected(r.n.Now(), testPeer(peer), &wire.Hello{Protocol: wire.Protocol, Fingerprint: []byte{1}, Classes: []string{"b"}, Incarnation: 1}); err != nil {
		r.t.Fatal(err)
	}
	r.poll()
}

func (r *rig) poll() {
	for range 100000 {
		o, ok := r.n.Poll(r.n.Now())
		if !ok {
			return
		}
		r.kinds = append(r.kinds, o.Kind)
		if o.Kind == Tell {
			r.events = append(r.events, *o.Event)
		}
	}
	r.t.Fatal("the node does not come to rest")
}

// envelope returns the next envelope of a peer: fills of one execution.
func (r *rig) envelope(from byte, number uint64, payload []byte, edges ...wire.EdgeID) []byte {
	r.seq[from]++
	e := wire.Envelope{Seq: r.seq[from], Exec: wire.ExecID{Origin: testPeer(from), Incarnation: 1, Number: number}}
	for _, id := range edges {
		e.Fills = append(e.Fills, wire.SlotFill{Suffix: wire.AppendSite(nil, id), Type: 1, Payload: payload})
	}
	return wire.AppendEnvelope(nil, &e)
}

func (r *rig) deliver(from byte, number uint64, payload []byte, edges ...wire.EdgeID) error {
	return r.n.Deliver(r.n.Now(), testPeer(from), r.envelope(from, number, payload, edges...))
}

// goesOn checks that an execution of peer 3 still runs normally.
func (r *rig) goesOn() {
	r.t.Helper()
	const mark = 77
	if err := r.deliver(3, 1<<20, []byte{mark}, 1, 2); err != nil {
		r.t.Fatal(err)
	}
	r.poll()
	if !slices.Contains(r.got, mark) {
		r.t.Errorf("the rest does not go on: %+v", r.events)
	}
}

// told checks that an event was told and counted.
func (r *rig) told(kind EventKind, name string, err error, counter uint64) {
	r.t.Helper()
	if !slices.ContainsFunc(r.events, func(e Event) bool {
		return e.Kind == kind && (name == "" || e.Name == name) && (err == nil || errors.Is(e.Err, err))
	}) {
		r.t.Errorf("no event %v %q %v among %+v", kind, name, err, r.events)
	}
	if counter == 0 {
		r.t.Errorf("%v %s is not counted", kind, name)
	}
}

func run(name string, f blockFunc) Module { return testModule(name, nil, []Block{{}}, f) }

// caps exceed each of the Limits by input from outside.
var caps = map[string]func(t *testing.T){
	"Wire": func(t *testing.T) { // tested in package wire
		r := newRig(t, func(l *limits.Limits) { l.Wire.Fills = 2 })
		r.deliver(2, 1, []byte{1}, 1, 2, 1)
		r.poll()
		var limit *wire.LimitError
		if e := r.events[len(r.events)-1]; !errors.As(e.Err, &limit) || e.Peer != testPeer(2) || !slices.Contains(r.kinds, Hangup) {
			t.Errorf("got %+v", e)
		}
		r.told(Refused, "", nil, r.n.Stats().Refused)
		r.goesOn()
	},
	"Ops": func(t *testing.T) {
		r := newRig(t, func(l *limits.Limits) { l.Ops = 3 })
		for i := range uint64(20) {
			r.deliver(2, i+1, []byte{1}, 1, 2)
		}
		r.poll()
		if !slices.Contains(r.kinds, Yield) || r.n.Stats().Yields == 0 || len(r.got) != 20 {
			t.Errorf("%d executions, %d yields", len(r.got), r.n.Stats().Yields)
		}
		r.goesOn()
	},
	"Executions": func(t *testing.T) {
		r := newRig(t, func(l *limits.Limits) { l.Executions = 8 })
		for i := range uint64(50) {
			r.deliver(2, i+1, []byte{1}, 1) // each waits for y
		}
		r.poll()
		if live := r.n.Stats().Live; live != 4 {
			t.Errorf("%d executions live, want the half", live)
		}
		r.told(Overflow, "executions", nil, r.n.Stats().Overflows)
		r.told(Refused, "", ErrOverflow, r.n.Stats().Refused)
		r.goesOn()
	},
	"Held": func(t *testing.T) {
		r := newRig(t, func(l *limits.Limits) { l.Held = 8000 })
		for i := range uint64(50) {
			r.deliver(2, i+1, make([]byte, 1000), 1)
		}
		r.poll()
		if r.n.ledger.Used(ledger.Held) != 4000 {
			t.Errorf("%d bytes are held, want the half", r.n.ledger.Used(ledger.Held))
		}
		r.told(Overflow, "held", nil, r.n.Stats().Overflows)
		r.told(Refused, "", ErrOverflow, r.n.Stats().Refused)
		r.goesOn()
	},
	"Spooled": func(t *testing.T) {
		r := newRig(t, func(l *limits.Limits) { l.Spooled = 8000 })
		bulks := func(from byte, number uint64, size uint64) {
			r.seq[from]++
			e := wire.Envelope{Seq: r.seq[from], Exec: wire.ExecID{Origin: testPeer(from), Incarnation: 1, Number: number}, Fills: []wire.SlotFill{
				{Suffix: wire.AppendSite(nil, 1), Type: 1, Bulk: wire.Bulk{ID: number, Size: size}}}}
			r.n.Deliver(0, testPeer(from), wire.AppendEnvelope(nil, &e))
			r.poll()
		}
		bulks(2, 1, 8001)
		r.told(Refused, "", ErrOverflow, r.n.Stats().Refused)
		for i := range uint64(4) { // half of the limit, which it may fetch
			bulks(2, i+2, 1000)
		}
		for i := range uint64(4) { // and then has, in files
			r.n.Filled(0, testPeer(2), wire.Bulk{ID: i + 2, Size: 1000}, &spooltest.Value{Data: make([]byte, 1000), Claimed: 1000, Shares: 1})
		}
		r.poll()
		if p := r.n.peer(testPeer(2)); r.n.ledger.Used(ledger.Spooled) != 4000 || p.uses.Used(ledger.Spooled) != 4000 || p.uses.Used(ledger.Waiting) != 0 {
			t.Errorf("%d bytes are spooled, %d of the peer's, and %d wait", r.n.ledger.Used(ledger.Spooled), p.uses.Used(ledger.Spooled), p.uses.Used(ledger.Waiting))
		}
		bulks(2, 9, 1000)
		r.told(Overflow, "spooled", nil, r.n.Stats().Overflows)
		if !r.n.peer(testPeer(2)).hungUp {
			t.Error("the peer may go on")
		}
		bulks(3, 1, 1000) // another peer has its share
		if got := r.n.peer(testPeer(3)).uses.Used(ledger.Spooled); got != 1000 {
			t.Errorf("%d bytes of peer 3 are fetched, want 1000", got)
		}
		if err := r.n.Connected(0, testPeer(3), &wire.Hello{Protocol: wire.Protocol, Fingerprint: []byte{1}, Classes: []string{"b"}, Incarnation: 1}); err != nil {
			t.Fatal(err)
		}
		if r.seq[3] = 0; r.n.ledger.Used(ledger.Spooled) != 4000 { // what was being fetched comes again
			t.Errorf("%d bytes are spooled, want 4000", r.n.ledger.Used(ledger.Spooled))
		}
		r.goesOn()
	},
	"Commands": func(t *testing.T) {
		m := testModule("m", []Cut{{Kind: CommandCut}}, []Block{{Starts: 1}, {Wait: 1}}, func(f *testBody, e *Engine) error { e.Start(&f.Frame, 0); return nil }, nothing)
		r := newRig(t, func(l *limits.Limits) { l.Commands = 2 }, m)
		for range 5 {
			r.n.Invoke(0, "m")
		}
		r.poll()
		r.told(Overflow, "commands", nil, r.n.Stats().Overflows)
		r.told(Failed, "b1", ErrOverflow, r.n.Stats().Failures)
		r.goesOn()
	},
	"Outbound": func(t *testing.T) {
		m := run("m", func(f *testBody, e *Engine) error {
			e.Send(&f.Frame, 2, []wire.PeerID{testPeer(2), testPeer(3)}, []byte{1})
			return nil
		})
		r := newRig(t, func(l *limits.Limits) { l.Outbound = 10 }, m)
		r.outbound(func() {
			if held := r.n.peer(testPeer(2)).outbox.Len(); held > 5 {
				t.Fatalf("%d envelopes are kept for a peer that takes none", held)
			}
		})
		if r.n.Stats().EnvelopesLost == 0 {
			t.Error("what is lost is not counted")
		}
	},
	"OutboundBytes": func(t *testing.T) {
		m := run("m", func(f *testBody, e *Engine) error {
			e.Send(&f.Frame, 2, []wire.PeerID{testPeer(2), testPeer(3)}, make([]byte, 1000))
			return nil
		})
		r := newRig(t, func(l *limits.Limits) { l.OutboundBytes = 10_000 }, m)
		r.outbound(func() {
			if held := r.n.peer(testPeer(2)).uses.Used(ledger.Payloads); held > 5000 {
				t.Fatalf("%d bytes are kept for a peer that takes none", held)
			}
		})
	},
	"Events": func(t *testing.T) {
		m := run("m", func(f *testBody, e *Engine) error {
			for range 10 {
				e.Publish(&f.Frame, "topic")
			}
			return nil
		})
		r := newRig(t, func(l *limits.Limits) { l.Events = 3 }, m)
		r.events = nil
		r.n.Invoke(0, "m")
		r.poll()
		if len(r.events) != 3 || r.n.Stats().EventsLost != 8 {
			t.Errorf("%d events, %d lost", len(r.events), r.n.Stats().EventsLost)
		}
		r.told(Finished, "", nil, 1) // the last
		r.goesOn()
	},
	"Ingress": func(t *testing.T) {
		r := newRig(t, func(l *limits.Limits) { l.Ingress = 4 })
		r.full(2, []byte{1})
	},
	"IngressBytes": func(t *testing.T) {
		r := newRig(t, func(l *limits.Limits) { l.IngressBytes = 3000 })
		r.full(1, make([]byte, 1000))
	},
	"Peers": func(t *testing.T) {
		r := newRig(t, func(l *limits.Limits) { l.Peers = 2 })
		if err := r.n.Allow(PeerConfig{ID: testPeer(4), Class: "b"}); !errors.Is(err, ErrOverflow) {
			t.Errorf("got %v", err)
		}
		r.goesOn()
	},
	"Timers": func(t *testing.T) {
		m := testModule("m", []Cut{{Kind: TimerCut}, {Kind: LocalCut}}, []Block{{Starts: 1}, {Wait: 3, Any: true}},
			func(f *testBody, e *Engine) error { e.After(&f.Frame, 0, 10); return nil }, nothing)
		r := newRig(t, func(l *limits.Limits) { l.Timers = 2 }, m)
		for range 3 {
			r.n.Invoke(0, "m")
		}
		r.poll()
		r.told(Overflow, "timers", nil, r.n.Stats().Overflows)
		r.goesOn()
		for f := r.n.first; f != nil; f = f.next { // ended frames leave room
			r.n.engine().Bring(f, 1)
		}
		r.poll()
		r.events = nil
		r.n.Invoke(0, "m")
		r.poll()
		if len(r.events) > 0 {
			t.Errorf("timers of executions that are over take up the table: %+v", r.events)
		}
	},
	"Queue": func(t *testing.T) {
		q := &Queue{Name: "q"}
		r := newRig(t, func(l *limits.Limits) { l.Queue = 2 }, run("put", func(f *testBody, e *Engine) error { q.Enqueue(e, []byte{1}); return nil }),
			testModule("take", []Cut{{Kind: EventCut}}, []Block{{Starts: 1}, {Wait: 1}}, func(f *testBody, e *Engine) error { q.Dequeue(e, &f.Frame, 0); return nil }, nothing))
		for range 5 {
			r.n.Invoke(0, "put")
		}
		r.poll()
		r.told(Overflow, "queue q", nil, r.n.Stats().Overflows)
		if q.Len() != 2 {
			t.Errorf("%d values wait", q.Len())
		}
		for range 6 { // the first two get their value at once, two may wait
			r.n.Invoke(0, "take")
		}
		r.poll()
		r.told(Failed, "b1", ErrOverflow, r.n.Stats().Failures)
		if r.n.Stats().Failures != 2 || q.waiting.Len() != 2 {
			t.Errorf("%d failed, %d wait", r.n.Stats().Failures, q.waiting.Len())
		}
		r.goesOn()
	},
	"Ring": func(t *testing.T) {
		ring := &Ring{Name: "r"}
		r := newRig(t, func(l *limits.Limits) { l.Ring = 3 }, run("m", func(f *testBody, e *Engine) error { ring.Record(e, float64(ring.Total())); return nil }))
		for range 5 {
			r.n.Invoke(0, "m")
		}
		r.poll()
		if got := ring.Values(nil); !slices.Equal(got, []float64{2, 3, 4}) || ring.Total() != 5 {
			t.Errorf("got %v of %d", got, ring.Total())
		}
		r.goesOn()
	},
	"Window": func(t *testing.T) {
		w := &Window{Name: "w"}
		r := newRig(t, func(l *limits.Limits) { l.Window = 2 })
		for tag := range uint64(3) {
			if err := w.Admit(r.n.engine(), testPeer(2), tag); err != nil {
				t.Error(err)
			}
		}
		if w.seen.Len() != 2 || w.fifo.Len() != 2 || w.Admit(r.n.engine(), testPeer(2), 2) == nil || w.Admit(r.n.engine(), testPeer(2), 0) != nil {
			t.Errorf("%d values are known, want the last 2", w.seen.Len())
		}
		r.goesOn()
	},
	"Origins": func(t *testing.T) {
		r := newRig(t, func(l *limits.Limits) { l.Origins = 2 })
		r.deliver(3, 1, []byte{9}, 1, 2)
		for i := range byte(50) { // in executions of other origins
			e := wire.Envelope{Seq: uint64(i) + 1, Exec: wire.ExecID{Origin: testPeer(100 + i), Incarnation: 1, Number: 1 << 60}}
			for _, id := range []wire.EdgeID{1, 2} {
				e.Fills = append(e.Fills, wire.SlotFill{Suffix: wire.AppendSite(nil, id), Type: 1, Payload: []byte{1}})
			}
			r.n.Deliver(0, testPeer(2), wire.AppendEnvelope(nil, &e))
		}
		r.poll()
		if len(r.got) != 51 || r.n.histories.all.Len() != 2 || r.n.histories.kept != 2 {
			t.Errorf("%d executions, %d windows", len(r.got), r.n.histories.all.Len())
		}
		r.deliver(3, 1, []byte{9}, 1, 2)
		if r.poll(); len(r.got) != 51 {
			t.Error("what peer 3 has finished was forgotten for what peer 2 says of others")
		}
		r.goesOn()
	},
}

// outbound makes module m send to a peer that acknowledges nothing and to one that does.
func (r *rig) outbound(check func()) {
	r.t.Helper()
	for range 50 {
		r.n.Invoke(0, "m")
		r.poll()
		check()
		ack := wire.AppendEnvelope(nil, &wire.Envelope{Ack: r.n.peer(testPeer(3)).outbox.Last()})
		if err := r.n.Deliver(0, testPeer(3), ack); err != nil {
			r.t.Fatal(err)
		}
		r.poll()
	}
	if seq := r.n.peer(testPeer(3)).outbox.Last(); seq != 50 {
		r.t.Errorf("%d envelopes of 50 go to the peer that takes them", seq)
	}
	r.told(Refused, "", ErrOverflow, r.n.Stats().Overflows)
	r.goesOn()
}

// full delivers more envelopes than fit of one peer. Another peer still has room, and so has the first one
// after the node has read.
func (r *rig) full(fit int, payload []byte) {
	r.t.Helper()
	for i := range 2 * fit {
		err := r.deliver(2, uint64(i)+1, payload, 1, 2)
		if (err == nil) != (i < fit) || err != nil && !errors.Is(err, ErrIngressFull) {
			r.t.Errorf("envelope %d: %v", i, err)
		}
	}
	if n := r.n.Stats().IngressFull; n != uint64(fit) {
		r.t.Errorf("%d were turned away, want %d", n, fit)
	}
	if err := r.deliver(3, 1, []byte{1}, 1, 2); err != nil {
		r.t.Error(err)
	}
	r.poll()
	if len(r.got) != fit+1 {
		r.t.Errorf("%d executions, want %d", len(r.got), fit+1)
	}
	r.goesOn()
}

// Every limit holds, is told and counted, and does not affect other peers. A limit without a row here fails.
func TestCaps(t *testing.T) {
	for f := range reflect.TypeFor[limits.Limits]().Fields() {
		overflow := caps[f.Name]
		if overflow == nil {
			t.Errorf("no test of Limits.%s", f.Name)
			continue
		}
		t.Run(f.Name, overflow)
	}
}

// TestSignedForEdges: what a rank signs belongs to a class and its edges. A program with the same edges, which peers accept in
// place of their own, says the same with another fingerprint.
func TestSignedForEdges(t *testing.T) {
	of := func(fingerprint byte, class string, edges ...wire.EdgeID) string {
		p := &Partition{Fingerprint: []byte{fingerprint}}
		c := &communicator{class: class}
		for i, id := range edges {
			p.Edges, c.edges = append(p.Edges, Edge{ID: id}), append(c.edges, i)
		}
		return string((&rankIdentity{&Node{partition: p}, c}).of([]byte("it is lost")))
	}
	this := of(1, "worker", 7, 8)
	if of(2, "worker", 7, 8) != this {
		t.Error("a program that is accepted signs something else")
	}
	for name, other := range map[string]string{"another class": of(1, "server", 7, 8), "other edges": of(1, "worker", 7, 9), "fewer edges": of(1, "worker", 7)} {
		if other == this {
			t.Errorf("%s: the same is signed", name)
		}
	}
}
