package runtime

import (
	"testing"

	"github.com/bbgen/bbgen/runtime/limits"
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
		func(f *testBody, n *Node) error { n.Start(&f.Frame, 0); return nil }, nothing)
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
