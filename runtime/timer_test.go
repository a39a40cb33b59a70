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
	say := run("say", func(f *testBody, n *Node) error {
		n.Send(&f.Frame, 0, n.Peers(nil, "b"), nil)
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
			t.Fatalf("after %d failures the peer is not dialled again: %q", i+1, got)
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
