package runtime_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// pongNode is a node whose peer sends it values to answer.
func pongNode(tb testing.TB) (n *runtime.Node, ping wire.PeerID) {
	key := make([]byte, 32)
	key[0] = 1
	ping, _ = wire.PeerIDOf(key)
	key[0] = 2
	self, _ := wire.PeerIDOf(key)
	n, err := runtime.New(runtime.Config{Self: self, Incarnation: 1, Peers: []runtime.PeerConfig{{ID: ping, Class: "ping"}}}, handmade.Pong())
	if err != nil {
		tb.Fatal(err)
	}
	h := n.Hello()
	h.Classes = []string{"ping"}
	if err := n.Connected(0, ping, &h); err != nil {
		tb.Fatal(err)
	}
	for {
		if _, ok := n.Poll(0); !ok {
			return n, ping
		}
	}
}

// feeder makes the envelopes that a peer sends: a value of 64 bytes for each of
// some executions in a row.
type feeder struct {
	e   wire.Envelope
	buf []byte
}

func newFeeder(ping wire.PeerID) *feeder {
	edge := handmade.Pong().Edges[0]
	return &feeder{e: wire.Envelope{
		Exec:  wire.ExecID{Origin: ping, Incarnation: 1},
		Fills: []wire.SlotFill{{Suffix: wire.AppendSite(nil, edge.ID), Type: edge.Type, Payload: make([]byte, 64), Dims: []uint64{8}}},
	}}
}

func (f *feeder) next() []byte {
	f.e.Seq++
	f.e.Ack = f.e.Seq - 1 // of the answers
	f.e.Exec.Number++
	f.buf = wire.AppendEnvelope(f.buf[:0], &f.e)
	return f.buf
}

// step delivers a fill and takes the answer.
func step(tb testing.TB, n *runtime.Node, f *feeder, ping wire.PeerID, now int64) {
	if err := n.Deliver(now, ping, f.next()); err != nil {
		tb.Fatal(err)
	}
	sends := 0
	for {
		o, ok := n.Poll(now)
		if !ok {
			break
		}
		if o.Kind == runtime.Send && len(o.Envelope.Fills) == 1 {
			sends++
		}
	}
	if sends != 1 {
		tb.Fatalf("%d answers", sends)
	}
}

// From envelope to block to envelope, nothing is allocated but the sizes of a
// fill with dynamic dimensions.
func TestNoAllocation(t *testing.T) {
	n, ping := pongNode(t)
	f := newFeeder(ping)
	now := int64(0)
	for range 3000 {
		now++
		step(t, n, f, ping, now)
	}
	if a := testing.AllocsPerRun(1000, func() { now++; step(t, n, f, ping, now) }); a != 0 {
		t.Errorf("%v allocations for a fill and its answer", a)
	}
}

// BenchmarkAnswer is one fill in an envelope of its own, a new execution, one
// block, and its answer in an envelope.
func BenchmarkAnswer(b *testing.B) {
	n, ping := pongNode(b)
	f := newFeeder(ping)
	now := int64(0)
	b.ReportAllocs()
	for b.Loop() {
		now++
		step(b, n, f, ping, now)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "fills/s")
}

// BenchmarkDeliver is the same in batches: a host reads many envelopes from a
// socket before it polls.
func BenchmarkDeliver(b *testing.B) {
	n, ping := pongNode(b)
	f := newFeeder(ping)
	b.ReportAllocs()
	fills := 0
	for b.Loop() {
		for range 64 {
			if err := n.Deliver(int64(fills), ping, f.next()); err != nil {
				b.Fatal(err)
			}
		}
		for {
			if _, ok := n.Poll(int64(fills)); !ok {
				break
			}
		}
		fills += 64
	}
	b.ReportMetric(float64(fills)/b.Elapsed().Seconds(), "fills/s")
}
