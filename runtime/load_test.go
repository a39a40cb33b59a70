package runtime

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values/spooltest"
	"github.com/bbgen/bbgen/runtime/wire"
)

// file is a value on a disk that never answers: the Node must not read it.
type file struct {
	spooltest.Value
	t *testing.T
}

func (f *file) ReadAt([]byte, int64) (int, error) {
	f.t.Error("the Node reads a file")
	return 0, errors.New("it hangs")
}

func newFile(t *testing.T, data []byte) *file {
	return &file{spooltest.Value{Data: data, Claimed: len(data), Shares: 1}, t}
}

// outputs polls a Node until it is idle, and returns its outputs of one kind.
func outputs(n *Node, kind OutputKind) (list []Output) {
	for o, ok := n.Poll(n.now); ok; o, ok = n.Poll(n.now) {
		if o.Kind == kind {
			list = append(list, o)
		}
	}
	return list
}

// events polls a Node until it is idle, and returns what it tells.
func events(n *Node) (list []Event) {
	for o, ok := n.Poll(n.now); ok; o, ok = n.Poll(n.now) {
		if o.Kind == Tell {
			list = append(list, *o.Event)
		}
	}
	return list
}

// sendBulk makes a send its payload to b, and passes b a file with it.
func sendBulk(t *testing.T, a, b *Node, data []byte) *file {
	t.Helper()
	if _, err := a.Invoke(a.now, "send"); err != nil {
		t.Fatal(err)
	}
	fetches := deliverAll(t, b, a.Self(), sendAll(a))
	if len(fetches) != 1 {
		t.Fatalf("%d payloads are fetched, want 1", len(fetches))
	}
	f := newFile(t, data)
	b.Filled(b.now, a.Self(), fetches[0], f)
	return f
}

// loadsOne polls a Node, which must ask to load a file from a peer and nothing else.
func loadsOne(t *testing.T, n *Node, from wire.PeerID, f wire.Blob) {
	t.Helper()
	if list := outputs(n, Load); len(list) != 1 || list[0].Peer != from || list[0].Value != f {
		t.Fatalf("it loads %+v", list)
	}
}

// A value in a file that a block reads as a whole is loaded by the host before its envelope is read, also if the peer
// disconnects in the meantime.
func TestLoad(t *testing.T) {
	big := bytes.Repeat([]byte{1}, 101)
	a, b, got := bulkPair(t, big)
	f := sendBulk(t, a, b, big)
	loadsOne(t, b, a.Self(), f)
	if len(*got) > 0 {
		t.Fatal("it is read before it is loaded")
	}
	b.Disconnected(b.now, a.Self(), nil)
	b.Loaded(b.now, a.Self(), f, wire.Bytes(big))
	f.Release() // as the host does
	if list := outputs(b, Load); len(list) > 0 || len(*got) != 1 || !bytes.Equal((*got)[0], big) {
		t.Errorf("%d payloads came, %d are loaded again", len(*got), len(list))
	}
	b.Loaded(b.now, a.Self(), f, wire.Bytes(big)) // nobody waits for it
	if f.Shares != 0 || b.ledger.Used(ledger.Spooled)+b.ledger.Used(ledger.Waiting)+b.ledger.Used(ledger.Held) != 0 {
		t.Errorf("%d references to the file are left", f.Shares)
	}
}

// A value that the receiver reads in parts stays in its file.
func TestLoadNoParts(t *testing.T) {
	big := make([]byte, 101)
	a, b, got := bulkPair(t, big)
	b.partition.Edges[0].InParts = true
	sendBulk(t, a, b, big)
	if list := outputs(b, Load); len(list) > 0 || len(*got) != 1 || b.ledger.Used(ledger.Held) > 0 {
		t.Errorf("%d files are loaded, %d payloads came", len(list), len(*got))
	}
}

// A file that the host cannot read fails the execution that needs it. The peer that has sent it is not to blame.
func TestNotLoaded(t *testing.T) {
	big := make([]byte, 101)
	a, b, got := bulkPair(t, big)
	f := sendBulk(t, a, b, big)
	loadsOne(t, b, a.Self(), f)
	b.Loaded(b.now, a.Self(), f, nil)
	f.Release()
	refused := slices.ContainsFunc(events(b), func(e Event) bool { return e.Kind == Refused && errors.Is(e.Err, errNotLoaded) })
	if !refused || b.Stats().Failures != 1 || b.peer(a.Self()).failures != 0 || len(*got) > 0 || f.Shares != 0 {
		t.Errorf("%+v, %d failures of the peer, %d references", b.Stats(), b.peer(a.Self()).failures, f.Shares)
	}
}

// A chunk of a collective in a file that the host cannot read must come again: the calls after it cannot go on without it.
func TestNotLoadedCall(t *testing.T) {
	big := make([]byte, 101)
	a, b, got := bulkPair(t, big)
	f := sendBulk(t, a, b, big)
	loadsOne(t, b, a.Self(), f)
	b.partition.Edges[0].Collective = &Collective{}
	b.Loaded(b.now, a.Self(), f, nil)
	f.Release()
	var kinds []OutputKind
	for o, ok := b.Poll(b.now); ok; o, ok = b.Poll(b.now) {
		kinds = append(kinds, o.Kind)
	}
	if !slices.Contains(kinds, Hangup) || b.Stats().Envelopes != 0 || b.Stats().Failures != 0 || len(*got) > 0 || f.Shares != 0 {
		t.Errorf("outputs %v, %+v, %d references", kinds, b.Stats(), f.Shares)
	}
	if used := b.ledger.Used(ledger.Spooled) + b.ledger.Used(ledger.Waiting) + b.ledger.Used(ledger.Held); used != 0 {
		t.Errorf("%d bytes are still counted", used)
	}
}

// An envelope is read when the host has answered for each of its files, however often it does for one of them.
func TestLoadBoth(t *testing.T) {
	a, b, _ := bulkPair(t, bytes.Repeat([]byte{1}, 101), bytes.Repeat([]byte{2}, 101))
	if _, err := a.Invoke(0, "send"); err != nil {
		t.Fatal(err)
	}
	var files []*file
	for i, x := range deliverAll(t, b, a.Self(), sendAll(a)) {
		files = append(files, newFile(t, bytes.Repeat([]byte{byte(i + 1)}, 101)))
		b.Filled(0, a.Self(), x, files[i])
	}
	if list := outputs(b, Load); len(list) != 2 {
		t.Fatalf("%d files are loaded, want 2", len(list))
	}
	b.Loaded(0, a.Self(), files[0], nil)
	b.Loaded(0, a.Self(), files[0], nil)
	if outputs(b, Tell); b.Stats().Envelopes > 0 {
		t.Error("the envelope is read before its second file is loaded")
	}
	b.Loaded(0, a.Self(), files[1], nil)
	if outputs(b, Tell); b.Stats().Envelopes != 1 {
		t.Error("the envelope is not read")
	}
}

// A value for which there is no room in memory is not loaded, except one of a size that the program determines.
func TestLoadOverflow(t *testing.T) {
	big := make([]byte, 101)
	for _, size := range []int{0, 101} {
		a, b, got := bulkPair(t, big)
		b.limits.Held = 50
		b.ledger.SetLimits(&b.limits)
		b.partition.Edges[0].Size = size
		f := sendBulk(t, a, b, big)
		if size > 0 {
			loadsOne(t, b, a.Self(), f)
			if used := b.peer(a.Self()).uses.Used(ledger.Held); used != 101 {
				t.Errorf("%d bytes count while they are loaded, want 101", used)
			}
			b.Loaded(b.now, a.Self(), f, wire.Bytes(big))
			f.Release()
		}
		list := outputs(b, Load)
		if want := min(size, 1); len(list) > 0 || len(*got) != want || b.Stats().Refused != uint64(1-want) || b.Stats().Overflows != uint64(1-want) || f.Shares != 0 {
			t.Errorf("edge of %d bytes: %d loads, %d came, %+v, %d references", size, len(list), len(*got), b.Stats(), f.Shares)
		}
	}
}

// Values that a Node sends to itself are loaded, too, and come in order.
func TestLoadOwn(t *testing.T) {
	big := bytes.Repeat([]byte{1}, tensor.Large)
	small := []byte{2}
	edge := Edge{ID: bulkEdge, Type: bulkType, Name: "x", Receives: true, Module: 1}
	sender := testModule("send", nil, make([]Block, 2), func(f *testBody, e *Engine) error {
		e.Send(&f.Frame, 0, []wire.PeerID{e.Self()}, big)
		return nil
	}, func(f *testBody, e *Engine) error {
		e.Send(&f.Frame, 1, []wire.PeerID{e.Self()}, small)
		return nil
	})
	var got [][]byte
	receiver := func(name string) Module {
		return Module{Name: name, Cuts: []Cut{{Kind: FillCut, Name: "x"}}, Blocks: []Block{{Name: "b0", Wait: 1}},
			New: func() Body { return &sink{testBody{blocks: []blockFunc{nothing}}, &got} }}
	}
	second := edge
	second.ID, second.Module = bulkEdge+1, 2
	s := &spooltest.Shelf{}
	n := testNode(t, Config{Spool: s}, &Partition{Edges: []Edge{edge, second}, Modules: []Module{sender, receiver("first"), receiver("second")}})
	pollAll(n, 0)
	if _, err := n.Invoke(0, "send"); err != nil {
		t.Fatal(err)
	}
	loads := outputs(n, Load)
	if len(loads) != 1 || loads[0].Peer != n.Self() || len(got) > 0 {
		t.Fatalf("%d loads, %d payloads came before", len(loads), len(got))
	}
	value, err := wire.Loaded(loads[0].Value)
	if err != nil {
		t.Fatal(err)
	}
	n.Loaded(0, n.Self(), loads[0].Value, value)
	loads[0].Value.Release()
	if outputs(n, Load); len(got) != 2 || !bytes.Equal(got[0], big) || !bytes.Equal(got[1], small) || s.Shared() != 0 {
		t.Errorf("%d payloads came, %d references are left", len(got), s.Shared())
	}
}

// The files of an envelope are released if its peer is blocked before it is read.
func TestLoadBlocked(t *testing.T) {
	big := make([]byte, 101)
	a, b, got := bulkPair(t, big)
	b.partition.Edges[0].InParts = true
	f := sendBulk(t, a, b, big)
	b.Block(a.Self())
	if pollAll(b, b.now); len(*got) > 0 || f.Shares != 0 {
		t.Errorf("%d payloads came, %d references to the file are left", len(*got), f.Shares)
	}
}
