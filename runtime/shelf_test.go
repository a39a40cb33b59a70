package runtime

import (
	"errors"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values/spooltest"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A large payload is put away once, whatever the number of peers and snapshots,
// and let go with the last acknowledgement.
func TestPayloadOnShelf(t *testing.T) {
	big := make([]byte, tensor.Large)
	big[7] = 7
	s := &spooltest.Shelf{}
	a, b, got := bulkPair(t, big)
	a.spool.Spool = s
	if _, err := a.Invoke(0, "send"); err != nil {
		t.Fatal(err)
	}
	envelopes := sendAll(a)
	fetches := deliverAll(t, b, a.Self(), envelopes)
	snapshot, err := a.Snapshot(nil)
	if err != nil || len(snapshot) > 1000 || len(s.Values) != 1 || !slices.Equal(s.Named, []uint64{1}) {
		t.Fatalf("a snapshot of %d bytes, %d values: %v", len(snapshot), len(s.Values), err)
	}

	restored, err := Restore(Config{Self: a.Self(), Incarnation: 2, Spool: s, Peers: []PeerConfig{{ID: b.Self(), Class: b.partition.Class}}}, a.partition, snapshot)
	if err != nil {
		t.Fatal(err)
	}
	if s.Shared() != 2 {
		t.Errorf("%d shares, want one of each node", s.Shared())
	}
	restored.giveBack()

	b.Filled(0, a.Self(), fetches[0], wire.Bytes(big))
	deliverAll(t, a, b.Self(), sendAll(b))
	if len(*got) != 1 || a.outBytes != 0 || s.Shared() != 0 {
		t.Errorf("%d payloads came, %d bytes are kept, %d shares", len(*got), a.outBytes, s.Shared())
	}

	clear(s.Values)
	if _, err := Restore(Config{Self: a.Self(), Incarnation: 2, Spool: s}, a.partition, snapshot); !errors.Is(err, ErrSnapshot) {
		t.Errorf("a snapshot whose values are gone: %v", err)
	}
}

// giveBack frees all that waits for peers.
func (n *Node) giveBack() {
	for _, p := range n.roster {
		for p.outbox.queue.Len() > 0 {
			n.free(p.outbox.queue.Pop())
		}
	}
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
