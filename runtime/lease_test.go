package runtime

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/wire"
)

// waiting opens executions of peer 2 that wait for a second fill.
func (r *rig) waiting(count uint64) {
	r.t.Helper()
	for i := range count {
		if err := r.deliver(2, i+1, []byte{1}, 1); err != nil {
			r.t.Fatal(err)
		}
	}
	r.poll()
}

// An execution that a peer has opened but not completed ends some time after the peer has disconnected, but not
// while it is connected or if it comes back.
func TestLease(t *testing.T) {
	r := newRig(t, func(*limits.Limits) {})
	after := func(d int64, want int, when string) {
		t.Helper()
		r.n.Tick(r.n.Now() + d)
		r.poll()
		if live := r.n.Stats().Live; live != want {
			t.Errorf("%s: %d frames live, want %d", when, live, want)
		}
	}
	r.waiting(100)
	after(10*leaseTime, 100, "it is there")
	r.n.Disconnected(r.n.Now(), testPeer(2), nil)
	after(leaseTime/2, 100, "it has just gone")
	r.connect(2)
	after(leaseTime, 100, "it came back")
	r.n.Disconnected(r.n.Now(), testPeer(2), nil)
	r.poll()
	b, err := r.n.Snapshot(nil)
	if err != nil {
		t.Fatal(err)
	}
	after(leaseTime, 0, "it has gone for long")
	r.goesOn()

	n, err := Restore(Config{Self: testPeer(1), Incarnation: 1, Limits: r.n.limits}, r.n.partition, b)
	if err != nil {
		t.Fatal(err)
	}
	r.n, r.seq = n, map[byte]uint64{}
	after(0, 100, "restored")
	r.connect(3)
	after(leaseTime, 0, "it did not come back")
	r.goesOn()
}

// Executions that peers open leave room for the node's own executions and commands.
func TestOwnShare(t *testing.T) {
	command := testModule("command", []Cut{{Kind: CommandCut}}, []Block{{Starts: 1}, {Wait: 1}},
		func(f *testBody, e *Engine) error { e.Start(&f.Frame, 0); return nil }, nothing)
	r := newRig(t, func(l *limits.Limits) { l.Executions = 64 }, command)
	peers := []byte{2, 3}
	for i := byte(4); i < 40; i++ {
		if err := r.n.Allow(PeerConfig{ID: testPeer(i), Class: "b", Rank: int(i)}); err != nil {
			t.Fatal(err)
		}
		r.connect(i)
		peers = append(peers, i)
	}
	for _, from := range peers {
		for i := range uint64(64) {
			r.deliver(from, i+1, []byte{1}, 1)
		}
		r.poll()
	}
	for i := range 8 {
		if _, err := r.n.Invoke(r.n.Now(), "command"); err != nil {
			t.Fatalf("own execution %d: %v", i+1, err)
		}
	}
	r.poll()
}

// connectAs connects a peer of class b.
func (n *Node) connectAs(t *testing.T, peer byte, h wire.Hello) {
	t.Helper()
	h.Protocol, h.Classes = wire.Protocol, []string{"b"}
	if err := n.Connected(n.now, testPeer(peer), &h); err != nil {
		t.Fatal(err)
	}
}

// When a peer was started again without its state, all executions fail at once that have asked it, not only the first.
func TestAllForgotten(t *testing.T) {
	ask := testModule("ask", []Cut{{Kind: GatherCut, Name: "g"}}, []Block{{Starts: 1}, {Wait: 1}},
		func(f *testBody, e *Engine) error {
			f.recordSend(e.node().peer(testPeer(2))) // and it has acknowledged that
			e.Expect(&f.Frame, 0, []wire.PeerID{testPeer(2)}, 0, 0, 0)
			return nil
		}, nothing)
	answer := testModule("answer", []Cut{{Kind: FillCut, Name: "x"}}, []Block{{Wait: 1}}, nothing)
	answer.Child = true
	n := testNode(t, Config{Peers: []PeerConfig{{ID: testPeer(2), Class: "b"}}}, &Partition{Modules: []Module{ask, answer}})
	pollAll(n, 0)
	n.connectAs(t, 2, wire.Hello{Incarnation: 1})
	for range 3 {
		if _, err := n.Invoke(0, "ask"); err != nil {
			t.Fatal(err)
		}
	}
	pollAll(n, 0)
	n.connectAs(t, 2, wire.Hello{Incarnation: 2, Fresh: true})
	pollAll(n, 0)
	if live := n.Stats().Live; live != 0 {
		t.Errorf("%d executions are live, want 0", live)
	}
}

// Executions that end before their number of peers is connected leave no memory behind, even if no peer ever connects.
func TestEndedAwaits(t *testing.T) {
	m := testModule("m", []Cut{{Kind: EventCut, Name: "b"}, {Kind: FillCut, Name: "x", Within: 1}}, []Block{{Starts: 1}, {Wait: 3}},
		func(f *testBody, e *Engine) error { e.AwaitPeers(&f.Frame, 0, "b", 1); return nil }, nothing)
	n := testNode(t, Config{Peers: []PeerConfig{{ID: testPeer(2), Class: "b"}}}, &Partition{Modules: []Module{m}})
	pollAll(n, 0)
	for at := range int64(1000) {
		if _, err := n.Invoke(at, "m"); err != nil {
			t.Fatal(err)
		}
		pollAll(n, at)
	}
	if live := n.Stats().Live; live != 1 || len(n.awaits) > 10 {
		t.Errorf("%d executions are live, and %d wait for peers, want 1 and few", live, len(n.awaits))
	}
}

// A Node that is stopping does not wait for a blocked peer to acknowledge what it was sent.
func TestStopBlocked(t *testing.T) {
	n := sayTo(t, 2)
	n.Stop(0)
	wantEvents(t, pollAll(n, 0), "phase stopping", "dial", "finished say")
	n.Block(testPeer(2))
	wantEvents(t, pollAll(n, 0), "peer down", "phase stopped")
}

// sayTo returns a node that has sent a message to a peer that was never connected.
func sayTo(t *testing.T, peer byte) *Node {
	say := run("say", func(f *testBody, e *Engine) error { e.Send(&f.Frame, 0, e.Peers(nil, "b"), nil); return nil })
	n := testNode(t, Config{Peers: []PeerConfig{{ID: testPeer(peer), Class: "b"}}},
		&Partition{Modules: []Module{say}, Edges: []Edge{{ID: 1, Type: 1, Name: "say.z", From: "self", Trigger: true}}})
	pollAll(n, 0)
	if _, err := n.Invoke(0, "say"); err != nil {
		t.Fatal(err)
	}
	return n
}

// What the host has not been asked yet to do with a connection it is not asked to do with the next one.
func TestOutputsOfPreviousConnection(t *testing.T) {
	n := sayTo(t, 2)
	n.connectAs(t, 2, wire.Hello{Incarnation: 1})
	n.cycle()
	n.hangUp(n.peer(testPeer(2)))
	n.connectAs(t, 2, wire.Hello{Incarnation: 1})
	got := slices.DeleteFunc(pollAll(n, 0), func(s string) bool { return s != "send" && s != "hangup" })
	wantEvents(t, got, "send")
}
