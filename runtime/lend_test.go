package runtime

import (
	"errors"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// taker is a body that keeps copies of the received values, and records whose memory they were in.
type taker struct {
	testBody
	got *[]tensor.Dense[float32]
	x   tensor.Dense[float32]
}

func (f *taker) Fill(_ int, fill *wire.SlotFill) error {
	return values.TakeDense(&f.x, fill, values.Open)
}

func (f *taker) Run(*Engine, int) error {
	*f.got = append(*f.got, tensor.DenseIn(f.x.Memory(), slices.Clone(f.x.Data), f.x.Shape...))
	return nil
}

func (f *taker) Clear() { f.x.Reset() }

// takerNode returns a node that receives vectors from a peer, and the envelope of one.
func takerNode(t *testing.T, limits limits.Limits) (n *Node, got *[]tensor.Dense[float32], envelope func(seq uint64, x tensor.Dense[float32]) []byte) {
	got = &[]tensor.Dense[float32]{}
	m := Module{Name: "take", Cuts: []Cut{{Kind: FillCut, Name: "x"}}, Blocks: []Block{{Name: "b0", Wait: 1}},
		New: func() Body { return &taker{got: got} }}
	edge := Edge{ID: bulkEdge, Type: bulkType, Name: "x", Dims: 1, Receives: true}
	n = testNode(t, Config{Limits: limits, Peers: []PeerConfig{{ID: testPeer(2), Class: "b"}}}, &Partition{Edges: []Edge{edge}, Modules: []Module{m}})
	pollAll(n, 0)
	rejoin(t, n)
	return n, got, func(seq uint64, x tensor.Dense[float32]) []byte {
		return wire.AppendEnvelope(nil, &wire.Envelope{Seq: seq, Exec: wire.ExecID{Origin: testPeer(2), Incarnation: 1, Number: seq},
			Fills: []wire.SlotFill{{Suffix: wire.AppendSite(nil, bulkEdge), Type: bulkType, Payload: tensor.Raw(x.Data), Dims: []uint64{uint64(x.Len())}}}})
	}
}

func rejoin(t *testing.T, n *Node) {
	t.Helper()
	h := n.Hello()
	h.Classes = []string{"b"}
	if err := n.Connected(0, testPeer(2), &h); err != nil {
		t.Fatal(err)
	}
}

// Lent bytes are read in place and given back once. Then they may be overwritten, whatever memory they were in.
func TestLend(t *testing.T) {
	n, got, envelope := takerNode(t, limits.Default())
	want := vectorOf(1000)
	for i := range 9 {
		room := make([]byte, i, 1<<13)
		b := append(room, envelope(uint64(i+1), want)...)[i:]
		back := 0
		if err := n.Lend(0, testPeer(2), b, nil, func() { back++; clear(b) }); err != nil {
			t.Fatal(err)
		}
		if back != 0 {
			t.Error("it is given back before it is read")
		}
		pollAll(n, 0)
		if back != 1 || len(*got) != i+1 || !slices.Equal((*got)[i].Data, want.Data) || n.ingress.bytes != 0 {
			t.Errorf("%d bytes from a boundary: given back %d times, %d values came, %d bytes are lent", i, back, len(*got), n.ingress.bytes)
		}
	}
}

// A large value in memory with a reference count is not copied: the frame holds a reference beyond the loan,
// and releases it when it ends.
func TestLendInMemory(t *testing.T) {
	n, got, envelope := takerNode(t, limits.Default())
	want := vectorOf(tensor.Large / 4)
	b := envelope(1, want)
	m := tensor.NewMemory(len(b) + 8)
	at := -wire.PayloadAt(b[:1000]) & 7
	lent := append(m.Bytes()[at:][:0], b...)
	if err := n.Lend(0, testPeer(2), lent, m, func() { m.Release() }); err != nil {
		t.Fatal(err)
	}
	pollAll(n, 0)
	if len(*got) != 1 || !slices.Equal((*got)[0].Data, want.Data) || (*got)[0].Memory() != m {
		t.Error("another value came, or it was copied")
	}
	n.Poll(1)
	defer func() {
		if recover() == nil {
			t.Error("somebody still has a share in the memory")
		}
	}()
	m.Release()
}

// A new channel gives back the loans of the old one. A loan that does not fit is refused.
func TestLendEnds(t *testing.T) {
	limits := limits.Default()
	n, got, envelope := takerNode(t, limits)
	b := envelope(1, vectorOf(1000))
	n.limits.IngressBytes = len(b)
	n.ledger.SetLimits(&n.limits)
	back := 0
	done := func() { back++ }
	if err := n.Lend(0, testPeer(2), b, nil, done); err != nil {
		t.Fatal(err)
	}
	if err := n.Lend(0, testPeer(2), b, nil, done); !errors.Is(err, ErrIngressFull) || back != 0 {
		t.Errorf("a second one: %v, and %d were given back", err, back)
	}
	if err := n.Deliver(0, testPeer(2), b[:1]); !errors.Is(err, ErrIngressFull) {
		t.Errorf("beside what is lent: %v", err)
	}
	rejoin(t, n)
	if back != 1 || n.ingress.bytes != 0 {
		t.Errorf("%d were given back, %d bytes are lent", back, n.ingress.bytes)
	}
	if pollAll(n, 0); len(*got) != 0 {
		t.Error("what came on the old channel is read")
	}
	n.limits.Wire.Envelope = 10
	var limit *wire.LimitError
	if err := n.Lend(0, testPeer(2), b, nil, done); !errors.As(err, &limit) || back != 1 {
		t.Errorf("one that is too large: %v", err)
	}
}

// vectorOf returns the numbers from 0 on.
func vectorOf(n int) tensor.Dense[float32] {
	x := tensor.DenseOf(make([]float32, n), n)
	for i := range x.Data {
		x.Data[i] = float32(i)
	}
	return x
}
