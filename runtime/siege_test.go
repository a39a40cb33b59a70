package runtime

import (
	"testing"

	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/values/spooltest"
	"github.com/bbgen/bbgen/runtime/wire"
)

// bulk returns an envelope of a peer that announces bulk payloads.
func (r *rig) bulk(from byte, number uint64, bulks ...wire.Bulk) {
	r.t.Helper()
	r.seq[from]++
	e := wire.Envelope{Seq: r.seq[from], Exec: wire.ExecID{Origin: testPeer(from), Incarnation: 1, Number: number}}
	for i, b := range bulks {
		e.Fills = append(e.Fills, wire.SlotFill{Suffix: wire.AppendSite(nil, wire.EdgeID(i+1)), Type: 1, Bulk: b})
	}
	if err := r.n.Deliver(r.n.Now(), testPeer(from), wire.AppendEnvelope(nil, &e)); err != nil {
		r.t.Fatal(err)
	}
	r.poll()
}

func (r *rig) spools(from byte, want int64, when string) {
	r.t.Helper()
	if got := r.n.peer(testPeer(from)).uses.Used(ledger.Spooled); got != want {
		r.t.Errorf("%s: %d bytes are kept for peer %d, want %d", when, got, from, want)
	}
}

// A peer that announces payloads and never sends them, or sends others, uses at most its share of the room for
// them, and only as long as it is connected. Payloads of other peers arrive meanwhile.
func TestSpoolSiege(t *testing.T) {
	r := newRig(t, func(l *limits.Limits) { l.Spooled = 8000 })
	for round := range uint64(50) {
		for i := range uint64(20) {
			number := 1000*round + i + 1
			b := wire.Bulk{ID: number, Size: 1000}
			r.bulk(2, number, b, wire.Bulk{ID: number + 1<<32, Size: 500})
			r.n.Filled(0, testPeer(2), b, &spooltest.Value{Data: make([]byte, 10), Claimed: 10, Shares: 1}) // not the announced payload
			r.poll()
		}
		r.spools(2, 4500, "three envelopes: a fourth would be more than is left for others")
		if !r.n.peer(testPeer(2)).hungUp {
			t.Error("the peer may go on")
		}
		honest := wire.Bulk{ID: round + 1, Size: 2000}
		r.bulk(3, round+1, honest)
		r.spools(3, 2000, "besieged")
		r.n.Filled(0, testPeer(3), honest, &spooltest.Value{Data: make([]byte, 2000), Claimed: 2000, Shares: 1})
		r.poll()
		r.n.Disconnected(0, testPeer(3), nil)
		r.connect(3)

		r.n.Disconnected(0, testPeer(2), nil)
		r.spools(2, 0, "it has gone")
		r.connect(2)
		for f := r.n.first; f != nil; f = r.n.first { // the honest peer's executions
			r.n.removeLive(f)
			r.n.drop(f)
		}
		if r.n.ledger.Used(ledger.Spooled) != 0 || r.n.ledger.Used(ledger.Waiting) != 0 {
			t.Fatalf("round %d: %d bytes are kept, and %d of envelopes", round, r.n.ledger.Used(ledger.Spooled), r.n.ledger.Used(ledger.Waiting))
		}
	}
	r.bulk(2, 1<<40, wire.Bulk{ID: 1 << 40, Size: 1000})
	r.n.Block(testPeer(2))
	r.spools(2, 0, "it is blocked")
	r.goesOn()
}

// Payloads that a peer has announced and sent are kept when it disconnects before they are read.
func TestSpoolOfTheGone(t *testing.T) {
	r := newRig(t, func(l *limits.Limits) {})
	b, c := wire.Bulk{ID: 1, Size: 1000}, wire.Bulk{ID: 2, Size: 1000}
	r.bulk(3, 1, b)
	r.bulk(3, 2, c)
	payload := &spooltest.Value{Data: make([]byte, 1000), Claimed: 1000, Shares: 1}
	r.n.Filled(0, testPeer(3), b, payload)
	r.n.Disconnected(0, testPeer(3), nil)
	r.poll()
	if f := r.n.first; f == nil || f != r.n.last || f.spooled != 1000 {
		t.Error("what had come is lost, or what had not is there")
	}
	r.spools(3, 1000, "one payload is in a frame")
}

// Sizes of payloads that exceed an int of 32 bits are summed correctly.
func TestSpoolOfLargeSizes(t *testing.T) {
	const size = 3 << 29
	r := newRig(t, func(l *limits.Limits) { l.Spooled = 4 << 30 })
	r.bulk(2, 1, wire.Bulk{ID: 1, Size: size}, wire.Bulk{ID: 2, Size: size})
	r.spools(2, 2*size, "there is room for both")
	r.bulk(3, 1, wire.Bulk{ID: 1, Size: size})
	r.spools(3, 0, "there is none for a third")
	r.n.Disconnected(0, testPeer(2), nil)
	r.spools(2, 0, "it has gone")
	r.connect(2)
	r.bulk(2, 2, wire.Bulk{ID: 3, Size: 1<<32 + 8})
	r.spools(2, 0, "it is more than there is")
}
