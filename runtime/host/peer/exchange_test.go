package peer

import (
	"bytes"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/wire"
)

// narrow is a host of a pong that has room for two envelopes of its peer, which is connected. The test is its loop.
type narrow struct {
	*host
	link    *link
	far     net.Conn
	batches chan *connection.Batch // that have come
	closed  atomic.Int32           // how often the stream was closed
}

func newNarrow(t *testing.T) *narrow {
	t.Helper()
	h := newPagesHost(t)
	part, ping := handmade.Pong(), runtime.PeerConfig{ID: testID(2), Class: "ping"}
	limits := limits.Default()
	limits.Ingress = 4 // of which a peer may have half
	limits.Wire.Envelope = 1 << 10
	n, err := runtime.New(runtime.Config{Self: testID(1), Incarnation: 1, Peers: []runtime.PeerConfig{ping}, Limits: limits}, part)
	if err != nil {
		t.Fatal(err)
	}
	h.node, h.Limits = n, limits
	h.Limits.Wire.Envelope *= 2 // so that there is one that only the node refuses
	l := h.linkOf(ping)
	hello := wire.Hello{Protocol: wire.Protocol, Fingerprint: part.Fingerprint, Classes: []string{"ping"}, Incarnation: 1}
	answered(h)
	if err := n.Connected(h.Now(), l.ID, &hello); err != nil {
		t.Fatal(err)
	}
	near, far := net.Pipe()
	x := &narrow{host: h, link: l, far: far, batches: make(chan *connection.Batch, 2)}
	l.begin(connection.New(&h.Shared, x, &l.Account, &narrowStream{pipeStream{near}, x}, conversation.NewFrames(near, time.Minute), hello, false))
	t.Cleanup(func() { far.Close() })
	go l.conn.Run()
	return x
}

// Deliver keeps a batch for the test, which delivers it.
func (x *narrow) Deliver(b *connection.Batch) bool {
	x.batches <- b
	return true
}

// Alive does nothing, as the test has the node.
func (x *narrow) Alive(*connection.Conn) {}

// pipeStream is one end of a connection in memory to the peer of a deadStream.
type pipeStream struct{ net.Conn }

func (pipeStream) Peer() wire.PeerID  { return testID(2) }
func (pipeStream) Protocol() Protocol { return EnvelopeStream }

// narrowStream is a stream of a narrow, which counts how often it is closed.
type narrowStream struct {
	pipeStream
	x *narrow
}

func (s *narrowStream) Close() error {
	s.x.closed.Add(1)
	return s.Conn.Close()
}

// answered lets the node run, and returns the numbers of the executions that it answers.
func answered(h *host) (numbers []uint64) {
	for {
		o, ok := h.node.Poll(h.Now())
		if !ok {
			return numbers
		}
		if o.Kind == runtime.Send && len(o.Envelope.Fills) > 0 {
			numbers = append(numbers, o.Envelope.Exec.Number)
		}
	}
}

// come returns a batch of envelopes that have come, with the numbers of their executions.
func (x *narrow) come(t *testing.T, numbers ...uint64) *connection.Batch {
	t.Helper()
	edge := handmade.Pong().Edges[0]
	var b []byte
	for _, number := range numbers {
		fill := wire.SlotFill{Suffix: wire.AppendSite(nil, edge.ID), Type: edge.Type, Payload: make([]byte, 8), Dims: []uint64{1}}
		e := wire.Envelope{Exec: wire.ExecID{Origin: testID(2), Incarnation: 1, Number: number}, Seq: number, Fills: []wire.SlotFill{fill}}
		b = conversation.AppendFrame(b, wire.AppendEnvelope(nil, &e))
	}
	return x.comes(t, b)
}

// comes returns the batch of what is written at once.
func (x *narrow) comes(t *testing.T, b []byte) *connection.Batch {
	t.Helper()
	if _, err := x.far.Write(b); err != nil {
		t.Fatal(err)
	}
	return <-x.batches
}

// TestStalledDelivery: envelopes for which the node has no room wait, and later ones wait behind them. When the node has
// room they are delivered, each once and in their order; only then the reader may read on.
func TestStalledDelivery(t *testing.T) {
	x := newNarrow(t)
	first := x.come(t, 1, 2, 3, 4, 5)
	if x.host.Deliver(first); first.Left() != 3 || len(x.stalled) != 1 || !x.link.stalled {
		t.Fatalf("%d envelopes are left, and %d batches wait; want 3 and 1", first.Left(), len(x.stalled))
	}
	if x.retryStalled() {
		t.Error("envelopes are accepted without room")
	}
	got := answered(x.host) // now there is room
	second := x.come(t, 6, 7)
	if x.host.Deliver(second); second.Left() != 2 {
		t.Error("later envelopes overtake")
	}
	go x.far.Write(conversation.AppendFrame(nil, []byte("later"))) // the reader may not overwrite what waits
	for range 10 {
		got = append(got, answered(x.host)...)
		x.retryStalled()
	}
	if want := []uint64{1, 2, 3, 4, 5, 6, 7}; !slices.Equal(got, want) {
		t.Errorf("the executions %v are answered, want %v", got, want)
	}
	if len(x.stalled) != 0 || x.link.stalled {
		t.Errorf("%d batches wait, the connection is stalled: %v", len(x.stalled), x.link.stalled)
	}
	if x.retryStalled() {
		t.Error("without batches that wait there is progress")
	}
	<-x.batches // the reader reads on
}

// TestStalledEnds: envelopes that wait when their connection ends are dropped: the peer sends them again.
func TestStalledEnds(t *testing.T) {
	x := newNarrow(t)
	b := x.come(t, 1, 2, 3, 4)
	x.host.Deliver(b)
	x.link.begin(nil)
	answered(x.host)
	if x.retryStalled(); len(x.stalled) != 0 || b.Left() != 0 {
		t.Errorf("%d batches wait, with %d envelopes", len(x.stalled), b.Left())
	}
	if got := answered(x.host); len(got) != 0 {
		t.Errorf("the executions %v are answered after the end", got)
	}
}

// TestDeliverRefused: an envelope that the node refuses ends the connection, with the reason in the log, and the rest of
// the batch is not delivered.
func TestDeliverRefused(t *testing.T) {
	x := newNarrow(t)
	var log bytes.Buffer
	x.log = slog.New(slog.NewTextHandler(&log, nil))
	bad := conversation.AppendFrame(nil, make([]byte, 2<<10))
	b := x.comes(t, append(bad, bad...))
	x.host.Deliver(b)
	if x.closed.Load() == 0 || b.Left() != 0 || strings.Count(log.String(), "envelope refused") != 1 {
		t.Errorf("the stream is closed %d times, %d envelopes are left, and the log says %s", x.closed.Load(), b.Left(), &log)
	}
}
