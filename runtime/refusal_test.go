package runtime

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/wire"
)

// refusals cause each of the errors by input of a peer, and return the error that the node reports.
var refusals = map[string]func(r *rig) error{
	"ErrUnknownPeer": func(r *rig) error {
		r.n.Deliver(0, testPeer(9), r.envelope(2, 1, []byte{1}, 1))
		return r.refused()
	},
	"ErrBlocked": func(r *rig) error {
		r.n.Block(testPeer(2))
		r.deliver(2, 1, []byte{1}, 1)
		return r.refused()
	},
	"ErrIgnored": func(r *rig) error {
		for i := range uint64(tolerance) {
			r.deliver(2, i+1, []byte{1}, 9)
		}
		r.poll()
		return r.hello(2, func(*wire.Hello) {})
	},
	"ErrProtocol":    func(r *rig) error { return r.hello(2, func(h *wire.Hello) { h.Protocol++ }) },
	"ErrProgram":     func(r *rig) error { return r.hello(2, func(h *wire.Hello) { h.Fingerprint = []byte{2} }) },
	"ErrClass":       func(r *rig) error { return r.hello(2, func(h *wire.Hello) { h.Classes = []string{"self"} }) },
	"ErrIncarnation": func(r *rig) error { return r.hello(2, func(h *wire.Hello) { h.Incarnation = 0 }) },
	"ErrTooLittle":   func(r *rig) error { return r.hello(2, func(h *wire.Hello) { h.MaxFill = 1 }) },
	"ErrForged":      func(r *rig) error { return r.says(func(e *wire.Envelope) { e.Src = testPeer(3) }) },
	"ErrNoExec":      func(r *rig) error { return r.says(func(e *wire.Envelope) { e.Exec = wire.ExecID{} }) },
	"ErrAck":         func(r *rig) error { return r.says(func(e *wire.Envelope) { e.Ack = 1 }) },
	"ErrOrigin": func(r *rig) error {
		return r.says(func(e *wire.Envelope) {
			e.Exec.Origin, e.Fills[0].Suffix = testPeer(3), wire.AppendSite(nil, 5)
		})
	},
	"ErrNotBegun": func(r *rig) error {
		return r.says(func(e *wire.Envelope) { e.Exec = wire.ExecID{Origin: r.n.Self(), Incarnation: 1, Number: 1 << 60} })
	},
	"ErrNotOpen": func(r *rig) error {
		return r.says(func(e *wire.Envelope) { e.Fills[0].Suffix = wire.AppendSite(nil, 6) })
	},
	"ErrNoEdge": func(r *rig) error {
		return r.says(func(e *wire.Envelope) { e.Fills[0].Suffix = wire.AppendSite(nil, 3) })
	},
	"ErrEdge": func(r *rig) error { return r.says(func(e *wire.Envelope) { e.Fills[0].Type++ }) },
	"ErrNotAsked": func(r *rig) error {
		r.askOther()
		r.deliver(2, 1, []byte{1}, 5)
		r.poll()
		r.deliver(2, 1, []byte{1}, 4)
		return r.refused()
	},
	"ErrLate": func(r *rig) error {
		r.deliver(2, 1, []byte{1}, 1, 2)
		r.poll()
		r.deliver(2, 1, []byte{1}, 1)
		r.poll()
		return r.event(Late)
	},
	"ErrOverflow": func(r *rig) error {
		r.n.limits.Held = 0
		r.n.ledger.SetLimits(&r.n.limits)
		r.deliver(2, 1, []byte{1}, 1)
		return r.refused()
	},
}

func (r *rig) hello(peer byte, f func(*wire.Hello)) error {
	h := wire.Hello{Protocol: wire.Protocol, Fingerprint: []byte{1}, Classes: []string{"b"}, Incarnation: 1}
	f(&h)
	return r.n.Connected(r.n.Now(), testPeer(peer), &h)
}

// says delivers an envelope of peer 2 that f has manipulated.
func (r *rig) says(f func(*wire.Envelope)) error {
	e := wire.Envelope{Seq: 1, Exec: wire.ExecID{Origin: testPeer(2), Incarnation: 1, Number: 1},
		Fills: []wire.SlotFill{{Suffix: wire.AppendSite(nil, 1), Type: 1, Payload: []byte{1}}}}
	f(&e)
	r.n.Deliver(0, testPeer(2), wire.AppendEnvelope(nil, &e))
	return r.refused()
}

func (r *rig) refused() error { r.poll(); return r.event(Refused) }

// event returns the error of the last event of a kind.
func (r *rig) event(kind EventKind) error {
	for _, e := range slices.Backward(r.events) {
		if e.Kind == kind {
			return e.Err
		}
	}
	r.t.Errorf("no event %v", kind)
	return nil
}

// Every reason for a refusal is reported as such. A reason without a row here fails.
func TestRefusals(t *testing.T) {
	reasons := reflectErrors(t, "refusal.go")
	for _, name := range reasons {
		bring := refusals[name.name]
		if bring == nil {
			t.Errorf("no test of %s", name.name)
			continue
		}
		t.Run(name.name, func(t *testing.T) {
			r := newRig(t, func(*limits.Limits) {})
			err := bring(r)
			if err == nil || !strings.Contains(err.Error(), name.text) {
				t.Fatalf("got %v, want %s", err, name.text)
			}
			if r.n.Stats().Refused+r.n.Stats().Late == 0 && !strings.Contains(err.Error(), "peer ") {
				t.Errorf("%v is not counted", err)
			}
			r.n.limits.Held = 1000
			r.n.ledger.SetLimits(&r.n.limits)
			r.goesOn()
		})
	}
}

type errorVar struct{ name, text string }

// reflectErrors lists the exported errors that a file declares.
func reflectErrors(t *testing.T, file string) (list []errorVar) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.ValueSpec); ok && s.Names[0].IsExported() {
			text := s.Values[0].(*ast.CallExpr).Args[0].(*ast.BasicLit).Value
			list = append(list, errorVar{s.Names[0].Name, strings.Trim(text, `"`)})
		}
		return true
	})
	return list
}

// An envelope with many rejected fills causes one event, otherwise reporting would cost more than sending.
func TestRejectedTogether(t *testing.T) {
	r := newRig(t, func(*limits.Limits) {})
	r.deliver(2, 1, []byte{1}, 1, 2)
	r.poll()
	r.events = nil
	edges := slices.Repeat([]wire.EdgeID{9}, 100)
	r.deliver(2, 1, []byte{1}, append(edges, 1, 2, 1)...)
	r.poll()
	if len(r.events) != 2 || r.events[0].Kind != Late || r.events[0].N != 3 || r.events[1].Kind != Refused || r.events[1].N != 100 {
		t.Errorf("got %+v", r.events)
	}
	if s := r.n.Stats(); s.Late != 3 || s.Refused != 100 {
		t.Errorf("got %+v", s)
	}
}

// A peer that violates the protocol repeatedly is ignored, twice as long each time. Messages that it sends
// meanwhile are only counted, and its earlier messages are not lost: it may connect again later.
func TestGovernor(t *testing.T) {
	r := newRig(t, func(*limits.Limits) {})
	now, last := int64(0), int64(0)
	for round := range 20 {
		for range tolerance {
			r.n.Tick(now)
			r.deliver(2, uint64(round)+1, []byte{1}, 9)
			r.poll()
		}
		if n := len(r.kinds); !slices.Contains(r.kinds, Hangup) || n > 4*tolerance {
			t.Fatalf("round %d: %d outputs: %v", round, n, r.kinds)
		}
		told := len(r.events)
		for range 1000 {
			r.deliver(2, 99, []byte{1}, 1)
		}
		r.poll()
		if len(r.events) != told {
			t.Errorf("what is not heard is told: %+v", r.events[told])
		}
		r.n.Disconnected(now, testPeer(2), nil)
		if err := r.hello(2, func(*wire.Hello) {}); !errors.Is(err, ErrIgnored) {
			t.Fatalf("round %d: %v", round, err)
		}
		silence := r.n.peer(testPeer(2)).ignoredUntil - now
		if silence <= last && silence < maxDelay || silence > maxDelay {
			t.Errorf("round %d: deaf for %d ns, before for %d", round, silence, last)
		}
		last = silence
		now += silence
		r.n.Tick(now)
		r.connect(2)
		r.kinds, r.events = nil, nil
	}
	r.seq[2] = 0
	r.deliver(2, 7, []byte{7}, 1, 2)
	r.poll()
	if !slices.Contains(r.got, 7) {
		t.Error("a peer that does right again is not heard")
	}
	if f := r.n.peer(testPeer(2)).failures; f != 0 {
		t.Errorf("%d failures are held against it", f)
	}
	r.goesOn()
}

// Messages that come before the end of the bootstrap are kept, as far as there is room, and read afterwards. A
// peer whose envelope did not fit must send it again.
func TestEarly(t *testing.T) {
	done := false
	boot := testModule("boot", []Cut{{Kind: LocalCut}}, []Block{{}, {Wait: 1}}, func(f *testBody, e *Engine) error {
		if done {
			e.Bring(&f.Frame, 0)
		}
		return nil
	}, nothing)
	boot.Bootstrap = true
	r := newRig(t, func(l *limits.Limits) { l.IngressBytes = 10_000 }, boot)
	if r.n.phase != phaseBootstrap {
		t.Fatalf("it is %v", r.n.phase)
	}
	for i := range uint64(100) {
		r.deliver(2, i+1, make([]byte, 1000), 1, 2)
		r.poll()
	}
	if r.n.early.bytes > 5000 || r.n.Stats().IngressFull != 1 || !slices.Contains(r.kinds, Hangup) {
		t.Errorf("%d bytes are kept, %+v", r.n.early.bytes, r.n.Stats())
	}
	r.told(Overflow, "envelopes that wait for the bootstrap", nil, r.n.Stats().Overflows)
	r.n.Disconnected(0, testPeer(2), nil)
	r.connect(2)
	if r.n.early.bytes != 0 {
		t.Errorf("%d bytes of the connection before are kept", r.n.early.bytes)
	}
	r.deliver(2, 7, []byte{7}, 1, 2)
	r.deliver(3, 8, []byte{8}, 1, 2)
	r.poll()
	if len(r.got) > 0 {
		t.Error("a module runs before the bootstrap is over")
	}
	r.n.engine().Bring(r.n.first, 0)
	r.poll()
	if !slices.Equal(r.got, []byte{7, 8}) || r.n.early.bytes != 0 {
		t.Errorf("got %v", r.got)
	}
	r.goesOn()
}

// Frames that held much memory are not kept in the pool for ever.
func TestPool(t *testing.T) {
	r := newRig(t, func(l *limits.Limits) { l.Wire.Envelope, l.Wire.Fill, l.IngressBytes = 64<<20, 64<<20, 1<<30 })
	big := make([]byte, 40<<20)
	for i := range uint64(8) {
		r.deliver(2, i+1, big, 1)
		r.poll()
	}
	if r.n.ledger.Used(ledger.Held) != int64(8*len(big)) {
		t.Fatalf("%d bytes are held", r.n.ledger.Used(ledger.Held))
	}
	for i := range uint64(8) {
		r.deliver(2, i+1, []byte{1}, 2)
	}
	r.poll()
	if len(r.got) != 8 || r.n.ledger.Used(ledger.Held) != 0 || r.n.peer(testPeer(2)).uses.Used(ledger.Held) != 0 || r.n.ledger.Used(ledger.Pooled) > ledger.MaxPooled || len(r.n.modules[0].pool) != ledger.MaxPooled/len(big) {
		t.Errorf("%d executions; %d bytes are held, %d in %d frames that wait", len(r.got), r.n.ledger.Used(ledger.Held), r.n.ledger.Used(ledger.Pooled), len(r.n.modules[0].pool))
	}
	for i := range uint64(3) { // a frame that is taken out of the pool does not count as pooled
		r.deliver(2, 100+i, []byte{1}, 1)
	}
	r.poll()
	sum := int64(0)
	for _, f := range r.n.modules[0].pool {
		sum += int64(f.mostHeld)
	}
	if p := r.n.peer(testPeer(2)); r.n.ledger.Used(ledger.Pooled) != sum || p.uses.Used(ledger.Frames) != 3 || r.n.ledger.Used(ledger.Frames) != 3 {
		t.Errorf("%d bytes wait, counted as %d; %d frames are the peer's", sum, r.n.ledger.Used(ledger.Pooled), p.uses.Used(ledger.Frames))
	}
	r.goesOn()
}

// An envelope without an execution belongs to the one that its request names. It counts once, and the envelopes for such a
// peer are dropped when they have gone out.
func TestUnnumbered(t *testing.T) {
	r := newRig(t, func(*limits.Limits) {})
	if err := r.hello(2, func(*wire.Hello) {}); err != nil {
		t.Fatal(err)
	}
	ask := func(c wire.Correlation) {
		e := wire.Envelope{Request: c, Fills: []wire.SlotFill{{Suffix: wire.AppendSite(nil, 1), Type: 1, Payload: []byte{1}}}}
		if err := r.n.Deliver(r.n.Now(), testPeer(2), wire.AppendEnvelope(nil, &e)); err != nil {
			t.Fatal(err)
		}
		r.poll()
	}
	ask(wire.Correlation{Kind: wire.Request, ID: 7})
	ask(wire.Correlation{Kind: wire.Request, ID: 7})
	if s := r.n.Stats(); s.Fills != 1 || s.Duplicates+s.Late != 1 || s.Refused != 0 {
		t.Errorf("a request and the same one again: %+v", s)
	}
	p := r.n.peer(testPeer(2))
	x := wire.ExecID{Origin: p.id, Incarnation: p.incarnation, Number: 7}
	if c := p.answers(x); c != (wire.Correlation{Kind: wire.Response, ID: 7}) {
		t.Errorf("the answer is %+v", c)
	}
	if x.Incarnation++; p.answers(x) != (wire.Correlation{}) || p.answers(wire.ExecID{Origin: r.n.Self(), Number: 7}) != (wire.Correlation{}) {
		t.Error("an envelope of another execution answers the request")
	}
	for _, c := range []wire.Correlation{{}, {Kind: wire.Request}, {Kind: wire.Response, ID: 8}} {
		r.events = nil
		if ask(c); !errors.Is(r.event(Refused), ErrNoExec) {
			t.Errorf("%+v: %v", c, r.event(Refused))
		}
		if err := r.hello(2, func(*wire.Hello) {}); err != nil && !errors.Is(err, ErrIgnored) {
			t.Fatal(err)
		}
	}
}

// last returns the last event of a kind.
func (r *rig) last(kind EventKind) (last Event) {
	for _, e := range r.events {
		if e.Kind == kind {
			last = e
		}
	}
	return last
}
