package values

import (
	"bytes"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// kept holds values of a frame.
type kept struct {
	X     tensor.Dense[float32]
	Empty tensor.Dense[int64]
	None  tensor.Dense[int64] // of a shape without elements
	Loss  float64
	Done  bool
	Peers []wire.PeerID
	Peer  wire.PeerID
	Text  string
}

func (k *kept) append() []byte {
	b := AppendDense(nil, k.X)
	b = AppendDense(b, k.Empty)
	b = AppendDense(b, k.None)
	b = AppendScalar(b, k.Loss)
	b = AppendScalar(b, k.Done)
	b = AppendPeers(b, k.Peers)
	b = AppendPeer(b, k.Peer)
	return AppendText(b, k.Text)
}

func (k *kept) read(b []byte) error {
	r := NewFields(b)
	ReadDense(r, &k.X)
	ReadDense(r, &k.Empty)
	ReadDense(r, &k.None)
	ReadScalar(r, &k.Loss)
	ReadScalar(r, &k.Done)
	r.Peers(&k.Peers)
	r.Peer(&k.Peer)
	k.Text = r.Text()
	return r.End()
}

// TestFields writes values of each kind and reads them back.
func TestFields(t *testing.T) {
	want := kept{None: tensor.DenseOf([]int64{}, 0, 3), X: tensor.DenseOf([]float32{1, 2, 3, 4, 5, 6}, 2, 3), Loss: math.Pi, Done: true,
		Peers: []wire.PeerID{peerName(1), peerName(2)}, Peer: peerName(3), Text: "here"}
	b := want.append()
	var got kept
	if err := got.read(b); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want.append(), got.append()); d != "" {
		t.Error(d)
	}
	for n := range b {
		if err := new(kept).read(b[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are accepted", n, len(b))
		}
	}
	if err := new(kept).read(append(b, 0)); err == nil {
		t.Error("a byte too many is accepted")
	}
}

func peerName(i byte) wire.PeerID {
	id, err := wire.PeerIDOf(bytes.Repeat([]byte{i}, 32))
	if err != nil {
		panic(err)
	}
	return id
}

// FuzzFields reads arbitrary bytes; accepted input is written again unchanged.
func FuzzFields(f *testing.F) {
	f.Add((&kept{X: tensor.DenseOf([]float32{1}, 1), Text: "x"}).append())
	f.Add([]byte{4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 2, 2})
	f.Fuzz(func(t *testing.T, b []byte) {
		var k kept
		if err := k.read(b); err != nil {
			return
		}
		var again kept
		if err := again.read(k.append()); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again.append(), k.append()) {
			t.Fatal("it reads differently the second time")
		}
	})
}

// TestTakeDense checks which payloads and sizes a dense tensor accepts.
func TestTakeDense(t *testing.T) {
	payload := tensor.Raw([]float32{1, 2, 3, 4, 5, 6})
	for _, c := range []struct {
		name    string
		payload []byte
		sizes   []uint64
		ok      bool
	}{
		{"right", payload, []uint64{2}, true},
		{"no size", payload, nil, false},
		{"wrong size", payload, []uint64{3}, false},
		{"short", payload[:20], []uint64{2}, false},
		{"huge", payload, []uint64{1 << 40}, false},
		{"overflow", payload, []uint64{math.MaxUint64/12 + 3}, false},
		{"empty", nil, []uint64{0}, true},
		{"empty, huge", nil, []uint64{1 << 20}, false},
	} {
		var x tensor.Dense[float32]
		err := TakeDense(&x, &wire.SlotFill{Payload: c.payload, Dims: c.sizes}, Open, 3)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
		if err == nil && (x.Shape[0] != int(c.sizes[0]) || len(x.Data) != 3*x.Shape[0]) {
			t.Errorf("%s: %v", c.name, x)
		}
	}
}

// TestSetDense checks that a value is copied, and that values of other types are refused.
func TestSetDense(t *testing.T) {
	var x tensor.Dense[float32]
	v := tensor.Of([]float32{1, 2}, 2)
	if err := SetDense(&x, v, Open); err != nil {
		t.Fatal(err)
	}
	if tensor.Data[float32](v)[0] = 9; x.Data[0] != 1 {
		t.Error("the value is not a copy")
	}
	for _, bad := range []tensor.Value{nil, tensor.Of([]float64{1}, 1), tensor.Of([]float32{1}, 1, 1), &tensor.Sequence{}} {
		if err := SetDense(&x, bad, Open); err == nil {
			t.Errorf("%v is accepted for float32[?]", bad)
		}
	}
	var n int64
	if err := SetScalar(&n, tensor.Of([]int64{7})); err != nil || n != 7 {
		t.Errorf("got %d and %v, want 7", n, err)
	}
}
