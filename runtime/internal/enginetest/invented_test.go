package enginetest

import (
	"testing"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// invented returns executions that no peer has begun: of the sending peer, of earlier incarnations of the
// server, and with very large numbers.
func invented(self, from wire.PeerID, i uint64) []wire.ExecID {
	return []wire.ExecID{
		{Origin: from, Incarnation: 1, Number: i},
		{Origin: from, Incarnation: 1 << 40, Number: i},
		{Origin: self, Incarnation: 1, Number: i},
		{Origin: self, Incarnation: i, Number: 1 << 50},
		{Origin: self, Incarnation: 2, Number: 1<<40 + i},
	}
}

// Contributions to executions that do not exist open no frames, and leave no trace in the next snapshot.
func TestInventedExecutions(t *testing.T) {
	n, err := runtime.Restore(serverConfig(2), handmade.Server(3, 2, 1e9), snapshot(t, midRound(t)))
	if err != nil {
		t.Fatal(err)
	}
	poll := func() {
		for {
			o, ok := n.Poll(n.Now())
			if !ok {
				return
			}
			if o.Kind == runtime.Checkpoint {
				snapshot(t, n)
				n.Persisted(n.Now())
			}
		}
	}
	poll()
	before, size := n.Stats().Live, len(snapshot(t, n))
	n.Persisted(0)
	h := n.Hello()
	h.Classes = []string{"client"}
	update := handmade.Server(1, 1, 1).Edges[1]
	for i := range uint64(200) {
		for _, x := range invented(n.Self(), id(3), i+100) {
			if err := n.Connected(n.Now()+120e9, id(3), &h); err != nil { // sometimes it is refused for a time
				t.Fatal(err)
			}
			e := wire.Envelope{Exec: x, Seq: 1, Fills: []wire.SlotFill{{
				Suffix: wire.AppendSite(nil, update.ID), Type: update.Type, Payload: make([]byte, 16), Dims: []uint64{2}}}}
			if err := n.Deliver(n.Now(), id(3), wire.AppendEnvelope(nil, &e)); err != nil {
				t.Fatal(err)
			}
			poll()
			n.Disconnected(n.Now(), id(3), nil)
			poll()
		}
	}
	if live := n.Stats().Live; live > before {
		t.Errorf("%d frames live, want at most %d as before", live, before)
	}
	poll()
	if now := len(snapshot(t, n)); now > 2*size {
		t.Errorf("a snapshot has %d bytes, want about %d as before", now, size)
	}
}
