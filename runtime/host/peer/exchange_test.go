package peer

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/wire"
)

// newNarrowHost returns a host of a pong that has room for two envelopes of its peer, which is connected.
func newNarrowHost(t *testing.T) (*host, *conn) {
	t.Helper()
	h := newPagesHost(t)
	part, ping := handmade.Pong(), runtime.PeerConfig{ID: testID(2), Class: "ping"}
	limits := limits.Default()
	limits.Ingress = 4 // of which a peer may have half
	n, err := runtime.New(runtime.Config{Self: testID(1), Incarnation: 1, Peers: []runtime.PeerConfig{ping}, Limits: limits}, part)
	if err != nil {
		t.Fatal(err)
	}
	h.node, h.limits = n, limits
	l := h.linkOf(ping)
	hello := wire.Hello{Protocol: wire.Protocol, Fingerprint: part.Fingerprint, Classes: []string{"ping"}, Incarnation: 1}
	answered(h)
	if err := n.Connected(h.now(), l.ID, &hello); err != nil {
		t.Fatal(err)
	}
	l.conn = newConn(&h.shared, h, l, deadStream{}, conversation.NewFrames(deadStream{}, 0), hello, false)
	return h, l.conn
}

// answered lets the node run, and returns the numbers of the executions that it answers.
func answered(h *host) (numbers []uint64) {
	for {
		o, ok := h.node.Poll(h.now())
		if !ok {
			return numbers
		}
		if o.Kind == runtime.Send && len(o.Envelope.Fills) > 0 {
			numbers = append(numbers, o.Envelope.Exec.Number)
		}
	}
}

// fill puts envelopes into a batch, with the numbers of their executions.
func fill(t *testing.T, b *batch, numbers ...uint64) {
	t.Helper()
	if err := b.wait(); err != nil {
		t.Fatal(err)
	}
	edge := handmade.Pong().Edges[0]
	for _, number := range numbers {
		x := wire.SlotFill{Suffix: wire.AppendSite(nil, edge.ID), Type: edge.Type, Payload: make([]byte, 8), Dims: []uint64{1}}
		e := wire.Envelope{Exec: wire.ExecID{Origin: testID(2), Incarnation: 1, Number: number}, Seq: number, Fills: []wire.SlotFill{x}}
		b.buf = wire.AppendEnvelope(b.buf, &e)
		b.ends = append(b.ends, len(b.buf))
	}
}

// isFree reports whether the reader may fill a batch.
func (b *batch) isFree() bool { return len(b.free) == 1 }

// TestStalledDelivery: envelopes for which the node has no room wait, and later ones wait behind them. When the node has
// room they are delivered, each once and in their order; only then the reader may read on.
func TestStalledDelivery(t *testing.T) {
	h, c := newNarrowHost(t)
	first, second := &c.batches[0], &c.batches[1]
	fill(t, first, 1, 2, 3, 4, 5)
	if h.deliver(first); first.next != 2 || len(h.stalled) != 1 || !c.stalled {
		t.Fatalf("%d envelopes are delivered, and %d batches wait; want 2 and 1", first.next, len(h.stalled))
	}
	if h.retryStalled() {
		t.Error("envelopes are accepted without room")
	}
	got := answered(h) // now there is room
	fill(t, second, 6, 7)
	if h.deliver(second); second.next != 0 {
		t.Error("later envelopes overtake")
	}
	for range 10 {
		got = append(got, answered(h)...)
		if first.isFree() && first.next < len(first.ends) {
			t.Error("the reader may overwrite what waits")
		}
		h.retryStalled()
	}
	if want := []uint64{1, 2, 3, 4, 5, 6, 7}; !slices.Equal(got, want) {
		t.Errorf("the executions %v are answered, want %v", got, want)
	}
	if len(h.stalled) != 0 || c.stalled || !first.isFree() || !second.isFree() {
		t.Errorf("%d batches wait, the connection is stalled: %v, batches are free: %v, %v", len(h.stalled), c.stalled, first.isFree(), second.isFree())
	}
	if h.retryStalled() {
		t.Error("without batches that wait there is progress")
	}
}

// TestStalledEnds: envelopes that wait when their connection ends are dropped: the peer sends them again.
func TestStalledEnds(t *testing.T) {
	h, c := newNarrowHost(t)
	b := &c.batches[0]
	fill(t, b, 1, 2, 3, 4)
	h.deliver(b)
	c.link.conn = nil
	answered(h)
	if h.retryStalled(); len(h.stalled) != 0 || !b.isFree() {
		t.Errorf("%d batches wait, the batch is free: %v", len(h.stalled), b.isFree())
	}
	if got := answered(h); len(got) != 0 {
		t.Errorf("the executions %v are answered after the end", got)
	}
}

// TestDeliverRefused: an envelope that the node refuses ends the connection, with the reason in the log, and the rest of
// the batch is not delivered.
func TestDeliverRefused(t *testing.T) {
	h, c := newNarrowHost(t)
	var log bytes.Buffer
	closed := 0
	h.log, c.s = slog.New(slog.NewTextHandler(&log, nil)), closingStream{closed: &closed}
	b := &c.batches[0]
	fill(t, b)
	b.buf = make([]byte, h.limits.Wire.Envelope+1)
	b.ends = []int{len(b.buf), len(b.buf)}
	h.deliver(b)
	if closed != 1 || !b.isFree() || !strings.Contains(log.String(), "envelope refused") || !strings.Contains(log.String(), "limit") {
		t.Errorf("the stream is closed %d times, the batch is free: %v, and the log says %s", closed, b.isFree(), &log)
	}
}
