package runtime

import (
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A fill must have the type of its edge, and come from a peer of the sending class.
func TestEdgeChecked(t *testing.T) {
	for _, tt := range []struct {
		want string
		f    func(e *Edge)
	}{
		{"from a peer of class b, want c", func(e *Edge) { e.From = "c" }},
		{"type 0000000000000001, want 0000000000000002", func(e *Edge) { e.Type = 2 }},
		{"trigger is false, want true", func(e *Edge) { e.Trigger = true }},
		{"0 dynamic dimensions, want 1", func(e *Edge) { e.Dims = 1 }},
		{"1 bytes, want 8", func(e *Edge) { e.Size = 8 }},
	} {
		r := newRig(t, func(*limits.Limits) {})
		tt.f(&r.n.partition.Edges[0])
		r.deliver(2, 1, []byte{1}, 1)
		if err := r.refused(); !errors.Is(err, ErrEdge) || !strings.HasSuffix(err.Error(), tt.want) || !strings.Contains(err.Error(), "edge b.x") {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

// Bytes that are no envelope count against a peer as much as wrong fills.
func TestNonsenseCounts(t *testing.T) {
	r := newRig(t, func(*limits.Limits) {})
	for range tolerance {
		if err := r.hello(2, func(*wire.Hello) {}); err != nil {
			t.Fatal(err)
		}
		r.n.Deliver(0, testPeer(2), []byte("nonsense"))
		r.poll()
	}
	if err := r.hello(2, func(*wire.Hello) {}); !errors.Is(err, ErrIgnored) {
		t.Errorf("got %v", err)
	}
}

// A channel that may lose envelopes is not closed when a peer violates the protocol, but the peer is ignored on
// it.
func TestDeafOnOpenChannel(t *testing.T) {
	r := newRig(t, func(*limits.Limits) {})
	r.n.config.Resend = 1e9
	for i := range uint64(tolerance) {
		r.deliver(2, i+1, []byte{1}, 9)
	}
	r.deliver(2, 99, []byte{7}, 1, 2)
	r.poll()
	if slices.Contains(r.kinds, Hangup) || len(r.got) > 0 {
		t.Errorf("got %v, %v", r.kinds, r.got)
	}
	r.n.Tick(r.n.peer(testPeer(2)).ignoredUntil)
	r.seq[2]-- // it comes again
	r.deliver(2, 99, []byte{7}, 1, 2)
	r.poll()
	if !slices.Contains(r.got, 7) {
		t.Error("it is deaf for ever")
	}
}

// A stopping node lets running executions end, and begins none.
func TestStoppingOpensNothing(t *testing.T) {
	r := newRig(t, func(*limits.Limits) {})
	r.deliver(2, 1, []byte{1}, 1)
	r.poll()
	r.n.Stop(0)
	r.poll()
	r.deliver(3, 5, []byte{5}, 1, 2)
	r.deliver(2, 1, []byte{1}, 2)
	r.poll()
	if !slices.Equal(r.got, []byte{1}) {
		t.Errorf("got %v", r.got)
	}
	r.told(Refused, "", errNotRunning, r.n.Stats().Refused)
	r.told(Phase, "stopped", nil, 1)
}

// A peer that asks a stopping node does not misbehave, however often it asks.
func TestStoppingBlamesNobody(t *testing.T) {
	r := newRig(t, func(*limits.Limits) {})
	r.deliver(2, 1, []byte{1}, 1)
	r.n.Stop(0)
	for i := range uint64(2 * tolerance) {
		r.deliver(3, i+1, []byte{5}, 1, 2)
		r.poll()
	}
	if p := r.n.peer(testPeer(3)); p.failures > 0 || p.hungUp {
		t.Errorf("%d failures are counted, the channel is closed: %v", p.failures, p.hungUp)
	}
}

// The buffer of delivered bytes shrinks again.
func TestIngressShrinks(t *testing.T) {
	r := newRig(t, func(*limits.Limits) {})
	for range 3 {
		r.deliver(2, 1, make([]byte, keepIntake), 1)
	}
	r.poll()
	if c := cap(r.n.ingress.free[0].buf); c > keepIntake {
		t.Errorf("%d bytes are kept", c)
	}
}

// The envelopes that wait for the bootstrap are also limited in number, and each peer has its share of that. One that does
// not fit when they are read must be sent again.
func TestEarlyNumber(t *testing.T) {
	boot := testModule("boot", []Cut{{Kind: FillCut, Within: 10}}, []Block{{Wait: 1}}, nothing)
	boot.Bootstrap = true
	r := newRig(t, func(l *limits.Limits) { l.Ingress, l.Ops = 3, 1 }, boot)
	for i := range uint64(3) {
		r.deliver(2, i+1, []byte{1}, 1, 2)
		r.poll()
	}
	if p := r.n.peer(testPeer(2)); len(r.n.early.list) != 2 || p.early != 2 || !p.hungUp || !slices.Contains(r.kinds, Hangup) {
		t.Fatalf("%d are kept, %v, want 2 and that the peer is to send the third again", len(r.n.early.list), r.kinds)
	}
	r.deliver(3, 3, []byte{1}, 1, 2)
	r.poll()
	if p := r.n.peer(testPeer(3)); len(r.n.early.list) != 3 || p.early != 1 || p.hungUp {
		t.Fatalf("%d are kept, want 3: the place of another peer was not taken", len(r.n.early.list))
	}
	r.connect(2) // what it has sent before comes again
	r.kinds, r.events = nil, nil
	r.deliver(3, 4, []byte{4}, 1, 2)
	r.deliver(3, 5, []byte{5}, 1, 2)
	r.n.Tick(10) // the bootstrap ends while one of the two is not read
	r.poll()
	r.told(Overflow, "ingress", nil, r.n.Stats().Overflows)
	if !slices.Contains(r.kinds, Hangup) {
		t.Errorf("what did not fit is lost: %v", r.kinds)
	}
}

func (r *rig) promise(from byte, number uint64, x wire.ExecID, edge wire.EdgeID) {
	r.t.Helper()
	r.seq[from]++
	e := wire.Envelope{Seq: r.seq[from], Exec: x, Fills: []wire.SlotFill{{Suffix: wire.AppendSite(nil, edge), Type: 1, Bulk: wire.Bulk{ID: number, Size: 8}}}}
	if err := r.n.Deliver(r.n.Now(), testPeer(from), wire.AppendEnvelope(nil, &e)); err != nil {
		r.t.Fatal(err)
	}
	r.poll()
}

// A payload that would be refused is not fetched, for the same reasons.
func TestPromisesChecked(t *testing.T) {
	exec := func(r *rig, i uint64) wire.ExecID { return wire.ExecID{Origin: testPeer(2), Incarnation: 1, Number: i} }
	r := newRig(t, func(*limits.Limits) {})
	r.promise(2, 1, wire.ExecID{Origin: r.n.Self(), Incarnation: 1, Number: 1 << 60}, 1)
	r.told(Refused, "", ErrNotBegun, r.n.Stats().Refused)

	r = newRig(t, func(*limits.Limits) {})
	r.askOther()
	r.deliver(2, 1, []byte{1}, 5)
	r.poll()
	r.promise(2, 1, exec(r, 1), 4)
	r.told(Refused, "", ErrNotAsked, r.n.Stats().Refused)

	r = newRig(t, func(*limits.Limits) {})
	r.promise(2, 1, exec(r, 1), 1)
	if !slices.Contains(r.kinds, Fetch) {
		t.Fatalf("got %v", r.kinds)
	}
	r.n.Filled(0, testPeer(2), wire.Bulk{ID: 1, Size: 8}, wire.Bytes(make([]byte, 7)))
	r.poll()
	if r.n.Stats().Fills != 0 || r.n.peer(testPeer(2)).awaited[0].missing != 1 {
		t.Error("another payload is taken")
	}
}

// Envelopes that wait for their payloads count in fair shares, like everything else.
func TestPromisesShared(t *testing.T) {
	const each = 500
	r := newRig(t, func(l *limits.Limits) { l.IngressBytes = 20 * each })
	for i := range uint64(64) {
		if r.n.peer(testPeer(2)).hungUp {
			break
		}
		r.promise(2, i+1, wire.ExecID{Origin: testPeer(2), Incarnation: 1, Number: i + 1}, 1)
	}
	if w := r.n.peer(testPeer(2)).uses.Used(ledger.Waiting); w > 11*each || w < 9*each || w != r.n.ledger.Used(ledger.Waiting) {
		t.Errorf("%d bytes of %d wait for one peer", w, 20*each)
	}
	r.promise(3, 1, wire.ExecID{Origin: testPeer(3), Incarnation: 1, Number: 1}, 1)
	if r.n.peer(testPeer(3)).uses.Used(ledger.Waiting) == 0 {
		t.Error("nothing is left for another peer")
	}
	r.n.Disconnected(0, testPeer(2), nil)
	r.connect(2)
	if w := r.n.peer(testPeer(2)).uses.Used(ledger.Waiting); w != 0 {
		t.Errorf("%d bytes of the connection before wait", w)
	}
}

// Nothing is sent to a peer that is blocked or unknown.
func TestSendRefused(t *testing.T) {
	r := newRig(t, func(*limits.Limits) {}, run("m", func(f *testBody, e *Engine) error {
		e.Send(&f.Frame, 2, []wire.PeerID{testPeer(2), testPeer(9)}, []byte{1})
		return nil
	}))
	r.n.Block(testPeer(2))
	r.n.Invoke(0, "m")
	r.poll()
	r.told(Refused, "", ErrBlocked, 1)
	r.told(Refused, "", ErrUnknownPeer, 1)
	if r.n.ledger.Used(ledger.Payloads) != 0 || r.n.ledger.Used(ledger.Envelopes) != 0 {
		t.Errorf("%d bytes are kept", r.n.ledger.Used(ledger.Payloads))
	}
}

// Events for modules are limited in number, like those for the host.
func TestBus(t *testing.T) {
	runs := 0
	heard := run("heard", func(*testBody, *Engine) error { runs++; return nil })
	heard.On = []EventKind{Published}
	r := newRig(t, func(l *limits.Limits) { l.Events = 3 }, heard, run("m", func(f *testBody, e *Engine) error {
		for range 10 {
			e.Publish(&f.Frame, "topic")
		}
		return nil
	}))
	r.n.Invoke(0, "m")
	r.poll()
	if runs != 3 || r.n.Stats().EventsLost < 7 {
		t.Errorf("%d executions, %d events lost", runs, r.n.Stats().EventsLost)
	}
	r.goesOn()
}

// Entries of ended executions in the middle of a full table make room.
func TestSweeps(t *testing.T) {
	var q Queue
	m := testModule("m", []Cut{{Kind: TimerCut}, {Kind: LocalCut}, {Kind: EventCut}}, []Block{{Starts: 5}, {Wait: 7, Any: true}},
		func(f *testBody, e *Engine) error {
			e.After(&f.Frame, 0, 10)
			q.Dequeue(e, &f.Frame, 2)
			return nil
		}, nothing)
	r := newRig(t, func(l *limits.Limits) { l.Timers, l.Queue = 3, 3 }, m)
	r.n.Invoke(0, "m") // this one continues
	r.poll()
	for range 20 {
		for range 2 {
			r.n.Invoke(0, "m")
		}
		r.poll()
		for f := r.n.first.next; f != nil; f = f.next {
			r.n.engine().Bring(f, 1)
		}
		r.poll()
	}
	if s := r.n.Stats(); s.Overflows > 0 || s.Live != 1 || r.n.timers.ticks.Len() > 3 || q.waiting.Len() > 3 {
		t.Errorf("%d overflows, %d timers, %d wait", s.Overflows, r.n.timers.ticks.Len(), q.waiting.Len())
	}
	q.Enqueue(r.n.engine(), []byte{1})
	r.poll()
	if s := r.n.Stats(); s.Live != 0 || q.Len() != 0 {
		t.Errorf("the one that goes on has no value: %+v", s)
	}
}

// An address that belongs to another peer is not recorded.
func TestPoisonedAddress(t *testing.T) {
	r := newRig(t, func(*limits.Limits) {})
	err := r.n.InsertAddress(testPeer(2), "/ip4/192.0.2.1/tcp/1/p2p/"+testPeer(3).String())
	if !errors.Is(err, ErrForged) || len(r.n.Address(testPeer(2))) > 0 {
		t.Errorf("got %v, %v", err, r.n.Address(testPeer(2)))
	}
}

// Contributions count as executions of the peer that sends them.
func TestContributionsShared(t *testing.T) {
	r := newRig(t, func(l *limits.Limits) { l.Executions = 4 })
	for i := range uint64(6) {
		r.deliver(2, i+1, []byte{1}, 4) // opens the execution and the contribution
	}
	r.poll()
	if f := r.n.peer(testPeer(2)).uses.Used(ledger.Frames); f != 2 || r.n.ledger.Used(ledger.Frames) != 2 {
		t.Errorf("%d frames of %d are one peer's", f, r.n.ledger.Used(ledger.Frames))
	}
	r.told(Refused, "", ErrOverflow, r.n.Stats().Overflows)
	r.goesOn()

	r = newRig(t, func(l *limits.Limits) { l.Executions = 2 })
	r.deliver(2, 1, []byte{1}, 4) // there is room for the execution only
	r.poll()
	if r.n.ledger.Used(ledger.Frames) != 1 {
		t.Errorf("%d frames", r.n.ledger.Used(ledger.Frames))
	}
	r.told(Refused, "", ErrOverflow, r.n.Stats().Overflows)
}

// A fill of more bytes than its edge may carry is refused before it is read.
func TestEdgeMost(t *testing.T) {
	e := &Edge{Most: 3}
	for n, want := range map[int]bool{0: true, 3: true, 4: false} {
		if err := e.check(&peer{}, &wire.SlotFill{Payload: make([]byte, n)}); (err == nil) != want {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// An envelope may name its sender by the hash of its key, as bytesandbrains does. That of another key is refused.
func TestSourceHash(t *testing.T) {
	for from, want := range map[byte]error{2: nil, 3: ErrForged} {
		id, _ := testPeer(from).AppendBinary(nil)
		sum := sha256.Sum256(id[2:]) // without the head of the identity multihash
		r := newRig(t, func(*limits.Limits) {})
		r.n.config.Sum256 = sha256.Sum256
		if err := r.n.Deliver(r.n.Now(), testPeer(2), wire.AppendEnvelope(nil, &wire.Envelope{SrcHash: sum[:]})); err != nil {
			t.Fatal(err)
		}
		r.poll()
		var refused error
		for _, e := range r.events {
			if e.Kind == Refused {
				refused = e.Err
			}
		}
		if !errors.Is(refused, want) {
			t.Errorf("the hash of peer %d: refused for %v, want %v", from, refused, want)
		}
	}
}
