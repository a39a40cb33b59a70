package enginetest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

func id(i byte) wire.PeerID {
	p, _ := wire.PeerIDOf(bytes.Repeat([]byte{i}, 32))
	return p
}

func serverConfig(incarnation uint64) runtime.Config {
	return runtime.Config{Self: id(1), Incarnation: incarnation, Durable: true, Peers: []runtime.PeerConfig{
		{ID: id(2), Class: "client", Addresses: []wire.Address{"/ip4/192.0.2.1/tcp/1"}}, {ID: id(3), Class: "client", Rank: 1}}}
}

// midRound returns a server in the middle of a round: one of two clients has contributed, the other has not
// acknowledged the parameters.
func midRound(t testing.TB) *runtime.Node {
	n, err := runtime.New(serverConfig(1), handmade.Server(3, 2, 1e9))
	if err != nil {
		t.Fatal(err)
	}
	h := n.Hello()
	h.Classes = []string{"client"}
	poll := func() {
		for {
			o, ok := n.Poll(5)
			if !ok {
				return
			}
			if o.Kind == runtime.Checkpoint {
				if _, err := n.Snapshot(nil); err != nil {
					t.Fatal(err)
				}
				n.Persisted(5)
			}
		}
	}
	poll()
	if err := n.Connected(5, id(2), &h); err != nil {
		t.Fatal(err)
	}
	x, err := n.Invoke(5, "server", tensor.Of([]float64{1, 2}, 2))
	if err != nil {
		t.Fatal(err)
	}
	poll()
	update := handmade.Server(1, 1, 1).Edges[1]
	e := wire.Envelope{Exec: x, Seq: 1, Ack: 1, Fills: []wire.SlotFill{{
		Suffix: wire.AppendSite(nil, update.ID), Type: update.Type, Payload: make([]byte, 16), Dims: []uint64{2}}}}
	if err := n.Deliver(5, id(2), wire.AppendEnvelope(nil, &e)); err != nil {
		t.Fatal(err)
	}
	poll()
	return n
}

func snapshot(t testing.TB, n *runtime.Node) []byte {
	b, err := n.Snapshot(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A restored node has the same state: it writes the same snapshot, except for the incarnation.
func TestSnapshotRestore(t *testing.T) {
	n, err := runtime.Restore(serverConfig(1), handmade.Server(3, 2, 1e9), snapshot(t, midRound(t)))
	if err != nil {
		t.Fatal(err)
	}
	b := snapshot(t, n) // has the first incarnation among the earlier ones
	if n, err = runtime.Restore(serverConfig(1), handmade.Server(3, 2, 1e9), b); err != nil {
		t.Fatal(err)
	}
	if n.Hello().Incarnation != 3 {
		t.Errorf("incarnation %d, want 3", n.Hello().Incarnation)
	}
	if s := n.Stats(); s.Outbound != 1 || s.Live != 2 {
		t.Errorf("restored %+v", s)
	}
	again := snapshot(t, n)
	differ := 0
	for i := range min(len(b), len(again)) - 4 {
		if b[i] != again[i] {
			differ++
		}
	}
	if len(b) != len(again) || differ != 1 {
		t.Errorf("%d bytes, %d differ, want %d and 1", len(again), differ, len(b))
	}
}

// TestSnapshotRefused checks that snapshots of other programs, peers and versions are refused, and damaged
// ones.
func TestSnapshotRefused(t *testing.T) {
	good := snapshot(t, midRound(t))
	server := func() *runtime.Partition { return handmade.Server(3, 2, 1e9) }
	other := serverConfig(1)
	other.Self = id(9)
	newer := server()
	newer.Schema++
	foreign := server()
	foreign.Fingerprint = []byte{1}
	for _, tt := range []struct {
		c    runtime.Config
		p    *runtime.Partition
		b    []byte
		want string
	}{
		{serverConfig(1), server(), nil, "does not begin like one"},
		{serverConfig(1), server(), good[:len(good)-1], "checksum"},
		{serverConfig(1), server(), append(bytes.Clone(good), 0), "checksum"},
		{serverConfig(1), newer, good, "schema 0000000000000003, want 0000000000000004"},
		{serverConfig(1), foreign, good, "of program"},
		{other, server(), good, "of peer"},
	} {
		_, err := runtime.Restore(tt.c, tt.p, tt.b)
		if !errors.Is(err, runtime.ErrSnapshot) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
	accepting := serverConfig(1)
	accepting.Accept = server().Fingerprint
	if _, err := runtime.Restore(accepting, foreign, good); err != nil {
		t.Errorf("a program that accepts the one of the snapshot: %v", err)
	}
	for i := range good {
		b := bytes.Clone(good)
		b[i] ^= 0x20
		if _, err := runtime.Restore(serverConfig(1), server(), b); !errors.Is(err, runtime.ErrSnapshot) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
	}
}

// Bytes with a right checksum and wrong content cause an error, never a panic.
func FuzzRestore(f *testing.F) {
	good := snapshot(f, midRound(f))
	f.Add(good[:len(good)-4])
	f.Fuzz(func(t *testing.T, b []byte) {
		b = binary.LittleEndian.AppendUint32(bytes.Clone(b), wire.CRC(b))
		n, err := runtime.Restore(serverConfig(1), handmade.Server(3, 2, 1e9), b)
		if err != nil {
			return
		}
		for range 1000 {
			if _, ok := n.Poll(1 << 40); !ok {
				break
			}
		}
		n.Snapshot(nil)
	})
}

// FuzzDeliver gives a node bytes from an admitted peer.
func FuzzDeliver(f *testing.F) {
	n, ping := pongNode(f)
	f.Add(newFeeder(ping, 1).next())
	f.Fuzz(func(t *testing.T, b []byte) {
		n, ping = pongNode(t)
		if err := n.Deliver(1, ping, b); err != nil {
			return
		}
		for range 1000 {
			if _, ok := n.Poll(1); !ok {
				return
			}
		}
		t.Error("the node does not come to rest")
	})
}

// summed returns a snapshot with the right checksum.
func summed(b []byte) []byte {
	b = b[:len(b):len(b)]
	return binary.LittleEndian.AppendUint32(b, wire.CRC(b))
}

// play lets a Node do what it has to do, for a while, with commands that succeed.
func play(n *runtime.Node) {
	for now := int64(0); now < 3; now++ {
		for range 100 {
			o, ok := n.Poll(now << 40)
			if !ok {
				break
			}
			if o.Kind == runtime.Run {
				n.Complete(now<<40, o.Command, nil)
			}
		}
	}
	n.Snapshot(nil)
}

// TestHostileSnapshot: a snapshot that is cut off at any byte, or with any byte changed, and with a right checksum, is refused
// or gives a Node that goes on. Nothing panics.
func TestHostileSnapshot(t *testing.T) {
	good := snapshot(t, midRound(t))
	good = good[:len(good)-4]
	restore := func(b []byte) (*runtime.Node, error) {
		return runtime.Restore(serverConfig(1), handmade.Server(3, 2, 1e9), summed(b))
	}
	try := func(what string, i int, b []byte, mayWork bool) {
		defer func() {
			if r := recover(); r != nil {
				t.Errorf("%s %d of %d: panic: %v", what, i, len(good), r)
			}
		}()
		n, err := restore(b)
		switch {
		case err != nil && !errors.Is(err, runtime.ErrSnapshot):
			t.Errorf("%s %d: %v is not about the snapshot", what, i, err)
		case err == nil && !mayWork:
			t.Errorf("%s %d of %d is restored", what, i, len(good))
		case err == nil:
			play(n)
		}
	}
	try("none", 0, good, true)
	for i := range good {
		try("cut at byte", i, good[:i], false)
		for _, x := range []byte{0, 1, 2, 0x7f, 0x80, 0xff, good[i] + 1, good[i] - 1} {
			if x != good[i] {
				b := bytes.Clone(good)
				b[i] = x
				try("changed byte", i, b, true)
			}
		}
		try("a byte more before", i, append(append(bytes.Clone(good[:i]), 0xff), good[i:]...), true)
		try("a byte less at", i, append(bytes.Clone(good[:i]), good[i+1:]...), true)
	}
	try("a byte more at the end", 0, append(bytes.Clone(good), 0), false)
}
