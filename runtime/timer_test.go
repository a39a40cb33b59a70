package runtime

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A peer is dialed again, and unacknowledged messages are sent again, however many timers the program's
// executions have.
func TestPeersBesideManyTimers(t *testing.T) {
	lim := limits.Default()
	lim.Timers = 8
	late := testModule("late", []Cut{{Kind: FillCut, Name: "x", Within: 3600e9}}, []Block{{Wait: 1}}, nothing)
	say := run("say", func(f *testBody, e *Engine) error {
		e.Send(&f.Frame, 0, e.Peers(nil, "b"), nil)
		return nil
	})
	n := testNode(t, Config{Limits: lim, Resend: 1e9, Peers: []PeerConfig{{ID: testPeer(2), Class: "b"}}},
		&Partition{Fingerprint: []byte{1}, Modules: []Module{late, say}, Edges: []Edge{{ID: 1, Type: 1, Name: "self.z", From: "self", Trigger: true}}})
	pollAll(n, 0)
	for range 2 * lim.Timers {
		if _, err := n.Invoke(0, "late"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := n.Invoke(0, "say"); err != nil {
		t.Fatal(err)
	}
	if got := pollAll(n, 0); n.Stats().Overflows == 0 || !slices.Contains(got, "dial") {
		t.Fatalf("got %q and %d overflows, want a dial and some", got, n.Stats().Overflows)
	}
	for i := range int64(5) {
		n.DialFailed(n.Now(), testPeer(2), nil)
		if got := pollAll(n, n.Now()+backoff(int(i))); !slices.Contains(got, "dial") {
			t.Fatalf("after %d failures the peer is not dialed again: %q", i+1, got)
		}
	}
	if err := n.Connected(n.Now(), testPeer(2), &wire.Hello{Protocol: wire.Protocol, Fingerprint: []byte{1}, Classes: []string{"b"}, Incarnation: 1}); err != nil {
		t.Fatal(err)
	}
	pollAll(n, n.Now())
	for i := range 5 {
		if got := pollAll(n, n.Now()+int64(maxDelay)); !slices.Contains(got, "send") {
			t.Fatalf("after %d times the envelope is not sent again: %q", i+1, got)
		}
	}
}

// Timers of executions that have ended take up no room, and neither ring nor wake the host.
func TestStaleTimers(t *testing.T) {
	live, over := &Frame{}, &Frame{}
	var ts timers
	h := &ts.ticks
	for at := range int64(3) {
		h.add(at, timer{kind: wakeFrame, cut: int(at), frameRef: over.ref()})
	}
	h.add(5, timer{kind: wakeFrame, frameRef: live.ref()})
	h.add(4, timer{kind: openModule, cut: 7})
	ts.deadlines.add(6, timer{kind: retryPeer})
	if !h.isFull(4) || h.isFull(5) {
		t.Errorf("%d timers of frames are counted, want 4", h.frames)
	}
	over.gen++
	if h.isFull(4) || h.frames != 1 || h.Len() != 2 {
		t.Errorf("%d timers, %d of frames, want 2 and 1: the others are of an execution that has ended", h.Len(), h.frames)
	}
	h.add(0, timer{kind: wakeFrame, frameRef: frameRef{over, over.gen - 1}})
	if at, ok := ts.next(); !ok || at != 4 {
		t.Errorf("the first timer is at %d, want 4", at)
	}
	if _, ok := h.due(3); ok {
		t.Error("a timer rings early")
	}
	if x, ok := h.due(4); !ok || x.kind != openModule || x.cut != 7 {
		t.Errorf("%+v rings, want module 7", x)
	}
	live.ended = true
	if _, ok := h.due(9); ok || h.frames != 0 {
		t.Errorf("a timer of an execution rings after its end, and %d are counted", h.frames)
	}
	if at, ok := ts.next(); !ok || at != 6 {
		t.Errorf("the first timer is at %d, want the peer's at 6", at)
	}
}

// TestIsIdle: a node is idle, with an execution that waits or without, unless a command, a timer, an awaited peer or an acknowledgement is
// still to come.
func TestIsIdle(t *testing.T) {
	fill := Cut{Kind: FillCut, Name: "x"}
	for _, c := range []struct {
		name string
		m    Module
		idle bool
	}{
		{"waits for a fill", testModule("m", []Cut{fill}, []Block{{}, {Wait: 1}}, nothing, nothing), true},
		{"runs a command", testModule("m", []Cut{fill, {Kind: CommandCut, Name: "c"}}, []Block{{Starts: 2}, {Wait: 3}},
			func(f *testBody, e *Engine) error { e.Start(&f.Frame, 1); return nil }, nothing), false},
		{"has a timer", testModule("m", []Cut{fill, {Kind: TimerCut}}, []Block{{Starts: 2}, {Wait: 3}},
			func(f *testBody, e *Engine) error { e.After(&f.Frame, 1, 5); return nil }, nothing), false},
		{"has a deadline", testModule("m", []Cut{{Kind: FillCut, Name: "x", Within: 5}}, []Block{{Wait: 1}}, nothing), false},
		{"awaits a peer", testModule("m", []Cut{{Kind: EventCut, Name: "b"}}, []Block{{}, {Wait: 1}},
			func(f *testBody, e *Engine) error { e.AwaitPeers(&f.Frame, 0, "b", 1); return nil }, nothing), false},
		{"has sent a message", testModule("m", []Cut{fill}, []Block{{}, {Wait: 1}},
			func(f *testBody, e *Engine) error { e.Send(&f.Frame, 0, e.Peers(nil, "b"), nil); return nil }, nothing), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Partition{Slots: []string{"s"}, Modules: []Module{c.m}, Edges: []Edge{{ID: 1, Type: 1, Name: "m.z", From: "m", Trigger: true}}}
			n := testNode(t, Config{Peers: []PeerConfig{{ID: testPeer(2), Class: "b"}}}, p)
			pollAll(n, 0)
			if !n.IsIdle() {
				t.Error("before an execution it is not idle")
			}
			if _, err := n.Invoke(0, "m"); err != nil {
				t.Fatal(err)
			}
			pollAll(n, 0)
			if n.Stats().Live != 1 || n.IsIdle() != c.idle {
				t.Errorf("%d executions live, idle: %v, want 1, %v", n.Stats().Live, n.IsIdle(), c.idle)
			}
		})
	}
}
