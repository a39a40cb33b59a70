package runtime

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/internal/inbox"
	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/internal/outbox"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values/spooltest"
	"github.com/bbgen/bbgen/runtime/wire"
)

const bulkEdge, bulkType = wire.EdgeID(7), wire.TypeHash(8)

// bulkPair returns a sender of the payloads and a receiver that records them, connected by a channel that
// accepts 100 bytes of a payload in an envelope.
func bulkPair(t *testing.T, payloads ...[]byte) (a, b *Node, got *[][]byte) {
	return pairOf(t, func(f *testBody, e *Engine) error {
		for _, p := range payloads {
			e.Send(&f.Frame, 0, []wire.PeerID{testPeer(2)}, p)
		}
		return nil
	})
}

// pairOf is a bulkPair whose sender is a block.
func pairOf(t *testing.T, send blockFunc) (a, b *Node, got *[][]byte) {
	limits := limits.Default()
	limits.Wire.Chunk = 100
	edge := Edge{ID: bulkEdge, Type: bulkType, Name: "x"}
	sender := testModule("send", nil, make([]Block, 1), send)
	a = testNode(t, Config{Limits: limits, Peers: []PeerConfig{{ID: testPeer(2), Class: "b"}}}, &Partition{Edges: []Edge{edge}, Modules: []Module{sender}})

	got = &[][]byte{}
	edge.Receives = true
	receiver := Module{Name: "receive", Cuts: []Cut{{Kind: FillCut, Name: "x"}}, Blocks: []Block{{Name: "b0", Wait: 1}},
		New: func() Body { return &sink{testBody{blocks: []blockFunc{nothing}}, got} }}
	b, err := New(Config{Self: testPeer(2), Incarnation: 1, Limits: limits, Peers: []PeerConfig{{ID: testPeer(1), Class: "self"}}},
		&Partition{Class: "b", Edges: []Edge{edge}, Modules: []Module{receiver}})
	if err != nil {
		t.Fatal(err)
	}
	pollAll(a, 0)
	pollAll(b, 0)
	connectPair(t, a, b)
	return a, b, got
}

type sink struct {
	testBody
	got *[][]byte
}

func (s *sink) Fill(_ int, f *wire.SlotFill) error {
	*s.got = append(*s.got, bytes.Clone(f.Payload))
	return nil
}

func connectPair(t *testing.T, a, b *Node) {
	t.Helper()
	ha, hb := a.Hello(), b.Hello()
	if err := errors.Join(a.Connected(a.now, b.Self(), &hb), b.Connected(b.now, a.Self(), &ha)); err != nil {
		t.Fatal(err)
	}
}

// work runs a Node until it is idle, and returns what it sends and fetches.
func work(n *Node) (sent [][]byte, fetches []wire.Bulk) {
	for o, ok := n.Poll(n.now); ok; o, ok = n.Poll(n.now) {
		switch o.Kind {
		case Send:
			sent = append(sent, wire.AppendEnvelope(nil, o.Envelope))
		case Fetch:
			fetches = append(fetches, o.Bulk)
		}
	}
	return sent, fetches
}

func sendAll(n *Node) [][]byte {
	sent, _ := work(n)
	return sent
}

// deliverAll delivers envelopes and returns what the receiver fetches.
func deliverAll(t *testing.T, n *Node, from wire.PeerID, envelopes [][]byte) []wire.Bulk {
	t.Helper()
	deliverOnly(t, n, from, envelopes)
	_, fetches := work(n)
	return fetches
}

func deliverOnly(t *testing.T, n *Node, from wire.PeerID, envelopes [][]byte) {
	t.Helper()
	for _, e := range envelopes {
		if err := n.Deliver(n.now, from, e); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBulk sends payloads above and below the chunk size from one node to another.
func TestBulk(t *testing.T) {
	big, small := bytes.Repeat([]byte{1}, 101), bytes.Repeat([]byte{2}, 100)
	a, b, got := bulkPair(t, big)
	if _, err := a.Invoke(0, "send"); err != nil {
		t.Fatal(err)
	}
	first := sendAll(a)
	fetches := deliverAll(t, b, a.Self(), first)
	if len(first) != 1 || len(first[0]) > 200 || len(fetches) != 1 || fetches[0].Size != 101 {
		t.Fatalf("%d envelopes, fetches %v", len(first), fetches)
	}

	// The same again, as after a reconnect: it has another place in line, and the
	// payload the name it had.
	connectPair(t, a, b)
	again := deliverAll(t, b, a.Self(), sendAll(a))
	if !slices.Equal(again, fetches) {
		t.Errorf("fetches %v, then %v", fetches, again)
	}
	data := a.Bulk(b.Self(), fetches[0].ID)
	b.Filled(0, a.Self(), fetches[0], data)
	pollAll(b, 0)
	if len(*got) != 1 || !bytes.Equal((*got)[0], big) {
		t.Errorf("got %d payloads", len(*got))
	}

	// It is not fetched once it is here, even if the acknowledgement was lost.
	connectPair(t, a, b)
	if more := deliverAll(t, b, a.Self(), sendAll(a)); len(more) > 0 || len(*got) != 1 {
		t.Errorf("fetches %v again", more)
	}

	a, b, got = bulkPair(t, small)
	a.Invoke(0, "send")
	if f := deliverAll(t, b, a.Self(), sendAll(a)); len(f) > 0 || len(*got) != 1 {
		t.Errorf("fetches %v, got %d payloads", f, len(*got))
	}
}

// A payload that may not come is refused before it is fetched.
func TestBulkRefused(t *testing.T) {
	x := wire.ExecID{Origin: testPeer(1), Incarnation: 1, Number: 1}
	good := wire.SlotFill{Suffix: wire.AppendSite(nil, bulkEdge), Type: bulkType, Bulk: wire.Bulk{ID: 1, Size: 1 << 20}}
	for name, f := range map[string]func(*wire.SlotFill){
		"no edge": func(f *wire.SlotFill) { f.Suffix = wire.AppendSite(nil, 1) },
		"type":    func(f *wire.SlotFill) { f.Type = 9 },
		"dims":    func(f *wire.SlotFill) { f.Dims = []uint64{1} },
	} {
		_, b, _ := bulkPair(t)
		bad := good
		f(&bad)
		e := wire.AppendEnvelope(nil, &wire.Envelope{Exec: x, Seq: 1, Fills: []wire.SlotFill{bad}})
		if f := deliverAll(t, b, testPeer(1), [][]byte{e}); len(f) > 0 || b.Stats().Refused != 1 {
			t.Errorf("%s: fetches %v, %d refused", name, f, b.Stats().Refused)
		}
	}
}

// An envelope that the receiver could not take because a bulk before it is still
// missing is not sent.
func TestBulkWindow(t *testing.T) {
	a, b, got := bulkPair(t, make([]byte, 101))
	for range 2 * inbox.WindowBits {
		if _, err := a.Invoke(0, "send"); err != nil {
			t.Fatal(err)
		}
	}
	all := sendAll(a)
	if len(all) != inbox.WindowBits {
		t.Fatalf("%d envelopes are sent, want %d", len(all), inbox.WindowBits)
	}
	for round := 0; len(all) > 0; round++ {
		for _, f := range deliverAll(t, b, a.Self(), all) {
			b.Filled(0, a.Self(), f, a.Bulk(b.Self(), f.ID))
		}
		deliverOnly(t, a, b.Self(), sendAll(b))
		all = sendAll(a)
	}
	if len(*got) != 2*inbox.WindowBits {
		t.Errorf("%d payloads came, want %d", len(*got), 2*inbox.WindowBits)
	}
}

// A peer cannot make the Node keep more than its limits.
func TestBulkMemory(t *testing.T) {
	_, b, _ := bulkPair(t)
	b.limits.IngressBytes = 2000
	b.ledger.SetLimits(&b.limits)
	hung := false
	for seq := range uint64(30) {
		f := wire.SlotFill{Suffix: wire.AppendSite(nil, bulkEdge), Type: bulkType, Bulk: wire.Bulk{ID: seq + 1, Size: 1 << 20}}
		x := wire.ExecID{Origin: testPeer(1), Incarnation: 1, Number: seq + 1}
		e := wire.Envelope{Exec: x, Seq: seq + 1, Fills: []wire.SlotFill{f}}
		if err := b.Deliver(0, testPeer(1), wire.AppendEnvelope(nil, &e)); err != nil {
			t.Fatal(err)
		}
		for o, ok := b.Poll(0); ok; o, ok = b.Poll(0) {
			hung = hung || o.Kind == Hangup
		}
	}
	if !hung || b.ledger.Used(ledger.Waiting) > 2000 {
		t.Errorf("%d bytes wait", b.ledger.Used(ledger.Waiting))
	}
}

// The memory for peers that do not acknowledge is limited, and no peer uses more than it leaves for the others.
func TestOutboundBytes(t *testing.T) {
	a, b, got := bulkPair(t, make([]byte, 1000))
	a.limits.OutboundBytes = 6500
	a.ledger.SetLimits(&a.limits)
	a.Pause(b.Self())
	for range 5 {
		if _, err := a.Invoke(0, "send"); err != nil {
			t.Fatal(err)
		}
	}
	refused := 0
	for o, ok := a.Poll(0); ok; o, ok = a.Poll(0) {
		switch {
		case o.Kind == Send:
			t.Error("a paused peer is sent something")
		case o.Kind == Tell && o.Event.Kind == Refused && errors.Is(o.Event.Err, ErrOverflow):
			refused++
		}
	}
	if refused != 2 || a.ledger.Used(ledger.Payloads) != 3000 {
		t.Errorf("%d payloads are refused, %d bytes kept", refused, a.ledger.Used(ledger.Payloads))
	}
	a.Resume(0, b.Self())
	for _, f := range deliverAll(t, b, a.Self(), sendAll(a)) {
		b.Filled(0, a.Self(), f, a.Bulk(b.Self(), f.ID))
	}
	deliverAll(t, a, b.Self(), sendAll(b))
	if len(*got) != 3 || a.ledger.Used(ledger.Payloads) != 0 {
		t.Errorf("%d payloads came, %d bytes are kept", len(*got), a.ledger.Used(ledger.Payloads))
	}
}

// A peer that fetches slowly is told of two large payloads, and of no third one before it has the first; small
// ones are allowed up to a limit.
func TestAhead(t *testing.T) {
	large := make([]byte, 40<<20)
	a, b, got := bulkPair(t)
	send := func(p []byte) { // an execution each
		a.modules[0].New = func() Body {
			return &testBody{blocks: []blockFunc{func(f *testBody, e *Engine) error {
				e.Send(&f.Frame, 0, []wire.PeerID{testPeer(2)}, p)
				return nil
			}}}
		}
		a.modules[0].pool = nil
		if _, err := a.Invoke(a.now, "send"); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		send(large)
	}
	send(large[:101])
	first := sendAll(a)
	if len(first) != 2 {
		t.Fatalf("%d envelopes went out, want 2", len(first))
	}
	for _, bulk := range deliverAll(t, b, a.Self(), first) {
		blob := a.Bulk(b.Self(), bulk.ID)
		blob.Retain()
		b.Filled(b.now, a.Self(), bulk, blob)
	}
	deliverOnly(t, a, b.Self(), sendAll(b))
	if rest := sendAll(a); len(*got) != 2 || len(rest) != 2 {
		t.Errorf("%d payloads came and %d envelopes went out then, want 2 and 2", len(*got), len(rest))
	}
}

// A large payload is stored once, whatever the number of peers and snapshots, and released with the last
// acknowledgement.
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
	if len(*got) != 1 || a.ledger.Used(ledger.Payloads) != 0 || s.Shared() != 0 {
		t.Errorf("%d payloads came, %d bytes are kept, %d shares", len(*got), a.ledger.Used(ledger.Payloads), s.Shared())
	}

	clear(s.Values)
	if _, err := Restore(Config{Self: a.Self(), Incarnation: 2, Spool: s}, a.partition, snapshot); !errors.Is(err, ErrSnapshot) {
		t.Errorf("a snapshot whose values are gone: %v", err)
	}
}

// giveBack releases everything that waits for peers.
func (n *Node) giveBack() {
	for _, p := range n.roster {
		p.outbox.DeleteFunc(func(*outbox.Envelope) bool { return true })
	}
}
