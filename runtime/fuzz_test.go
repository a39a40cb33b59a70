package runtime

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/wire"
)

// waitingNode returns a node with at least one entry in every part of a snapshot: waiting commands, timers, a
// queue with a waiter, awaited peers, stores.
func waitingNode(t testing.TB, restore []byte) (*Node, error) {
	q, none := &Queue{Name: "q"}, &Queue{Name: "none"}
	stores := []Store{q, none, &Hold{Name: "h"}, &Limit{Name: "l"}, &Counter{Name: "c"}, &Ring{Name: "r"}, &Window{Name: "w"}}
	cuts := []Cut{{Kind: CommandCut, Name: "c"}, {Kind: TimerCut, Name: "t"}, {Kind: EventCut, Name: "q"}, {Kind: EventCut, Name: "p"}, {Kind: FillCut, Name: "f", Within: 100}}
	all := testModule("all", cuts, []Block{{Starts: 15}, {Wait: 31}}, func(f *testBody, e *Engine) error {
		e.Start(&f.Frame, 0)
		e.After(&f.Frame, 1, 50)
		none.Dequeue(e, &f.Frame, 2)
		e.AwaitPeers(&f.Frame, 3, "b", 1)
		q.Enqueue(e, []byte("value"))
		e.Send(&f.Frame, 0, []wire.PeerID{testPeer(2)}, []byte{1, 2, 3}, 3)
		return nil
	}, nothing)
	every := run("every", nothing)
	every.Every = 1000
	p := &Partition{Class: "self", Fingerprint: []byte{1}, Schema: 5, Slots: []string{"s"}, Stores: stores, Modules: []Module{all, every},
		Edges: []Edge{{ID: 1, Type: 1, Name: "self.x", From: "self", Dims: 1}, {ID: 2, Type: 1, Name: "b.f", From: "b", Receives: true, Cut: 4}}}
	c := Config{Self: testPeer(1), Incarnation: 1, Peers: []PeerConfig{{ID: testPeer(2), Class: "b", Addresses: []wire.Address{"/a"}}}}
	if restore != nil {
		return Restore(c, p, restore)
	}
	n, err := New(c, p)
	if err != nil {
		t.Fatal(err)
	}
	pollAll(n, 0)
	n.RequestCheckpoint() // commands wait from now on
	for range 2 {
		if _, err := n.Invoke(1, "all"); err != nil {
			t.Fatal(err)
		}
	}
	return n, nil
}

// FuzzRestoreWaiting is FuzzRestore for the parts of a snapshot that handmade programs do not have.
func FuzzRestoreWaiting(f *testing.F) {
	n, _ := waitingNode(f, nil)
	var good []byte
	for o, ok := n.Poll(2); ok; o, ok = n.Poll(2) {
		if o.Kind == Checkpoint {
			var err error
			if good, err = n.Snapshot(nil); err != nil {
				f.Fatal(err)
			}
			break
		}
	}
	back, err := waitingNode(f, good)
	if err != nil {
		f.Fatal(err)
	}
	if w := back.ledger.Used(ledger.Commands); w != 2 || back.timers.ticks.Len() != 3 || len(back.awaits) != 2 || back.ledger.Used(ledger.Envelopes) != 2 {
		f.Fatalf("%d commands, %d timers, %d wait for peers, %d envelopes", w, back.timers.ticks.Len(), len(back.awaits), back.ledger.Used(ledger.Envelopes))
	}
	f.Add(good[:len(good)-4])
	f.Fuzz(func(t *testing.T, b []byte) {
		b = binary.LittleEndian.AppendUint32(bytes.Clone(b), wire.CRC(b))
		n, err := waitingNode(t, b)
		if err != nil {
			return
		}
		for now := int64(0); now < 3; now++ {
			for range 1000 {
				o, ok := n.Poll(now << 40)
				if !ok {
					break
				}
				if o.Kind == Run {
					n.Complete(now<<40, o.Command, nil)
				}
			}
		}
		n.Snapshot(nil)
	})
}

// TestHostileWaiting: a snapshot with something in each of its parts, cut off at any byte or with any byte changed, and with
// a right checksum, is refused or gives a Node that goes on.
func TestHostileWaiting(t *testing.T) {
	n, _ := waitingNode(t, nil)
	var good []byte
	for o, ok := n.Poll(2); ok; o, ok = n.Poll(2) {
		if o.Kind == Checkpoint {
			good, _ = n.Snapshot(nil)
			break
		}
	}
	good = good[:len(good)-4]
	try := func(i int, b []byte) (restored bool) {
		defer func() {
			if r := recover(); r != nil {
				t.Errorf("byte %d of %d: panic: %v", i, len(good), r)
			}
		}()
		b = binary.LittleEndian.AppendUint32(bytes.Clone(b), wire.CRC(b))
		n, err := waitingNode(t, b)
		if err != nil {
			return false
		}
		for now := int64(0); now < 3; now++ {
			for range 50 {
				o, ok := n.Poll(now << 40)
				if !ok {
					break
				}
				if o.Kind == Run {
					n.Complete(now<<40, o.Command, nil)
				}
			}
		}
		n.Snapshot(nil)
		return true
	}
	if !try(0, good) {
		t.Fatal("the snapshot itself is refused")
	}
	for i := range good {
		if try(i, good[:i]) {
			t.Errorf("the first %d of %d bytes are restored", i, len(good))
		}
		for _, x := range []byte{0, 1, 2, 3, 0x7f, 0x80, 0xff, good[i] + 1, good[i] - 1} {
			b := bytes.Clone(good)
			b[i] = x
			try(i, b)
		}
		try(i, append(append(bytes.Clone(good[:i]), 0xff, 0xff, 0x03), good[i:]...))
		try(i, append(bytes.Clone(good[:i]), good[i+1:]...))
	}
}
