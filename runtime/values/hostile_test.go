package values

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values/spooltest"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Tensors whose sizes say more than there are bytes are refused before anything is allocated: the first error remains.
func TestHostileTensors(t *testing.T) {
	dims := func(rank uint64, sizes ...uint64) []byte {
		b := binary.AppendUvarint(nil, rank+1)
		for _, n := range sizes {
			b = binary.AppendUvarint(b, n)
		}
		return b
	}
	for _, c := range []struct {
		name, want string
		b          []byte
	}{
		{"nothing", "the state ends early", nil},
		{"a rank that no tensor has", fmt.Sprintf("a tensor of rank 1000 in the state, want at most %d", tensor.MaxRank), dims(1000)},
		{"the largest rank", fmt.Sprintf("a tensor of rank %d in the state, want at most %d", math.MaxInt32-1, tensor.MaxRank), binary.AppendUvarint(nil, math.MaxUint64)},
		{"no sizes", "the state ends early", dims(2)},
		{"more elements than bytes", "the state ends early", append(dims(1, 3), 1, 2, 3, 4)},
		{"a huge vector", "", dims(1, 1<<50)},
		{"a product that overflows", "", dims(2, 1<<40, 1<<40)},
		{"a size that overflows", "", dims(1, math.MaxUint64)},
	} {
		x := tensor.DenseOf([]float32{7}, 1)
		r := NewFields(c.b)
		allocated := testing.AllocsPerRun(1, func() { r = NewFields(c.b); ReadDense(r, &x) })
		err := r.End()
		if err == nil || c.want != "" && err.Error() != c.want || len(x.Data) > 0 || allocated > 10 {
			t.Errorf("%s: %v after %v allocations, with %v; want %s", c.name, err, allocated, x.Data, c.want)
		}
		var n int32
		if ReadScalar(r, &n); r.Err() != err || r.Uint() != 0 || r.Text() != "" || r.Count(1) != 0 || len(r.Rest()) != 0 {
			t.Errorf("%s: %v and values after %v", c.name, r.Err(), err)
		}
	}
}

// A number of items that do not fit the bytes is an error, for each size of an item.
func TestCount(t *testing.T) {
	b := append(binary.AppendUvarint(nil, 4), make([]byte, 8)...)
	for size, want := range map[int]int{0: 4, 1: 4, 2: 4, 3: 0, 100: 0} {
		r := NewFields(b)
		if got := r.Count(size); got != want || (r.Err() == nil) != (want > 0) {
			t.Errorf("4 items of %d bytes in 8: %d, %v, want %d", size, got, r.Err(), want)
		}
	}
	r := NewFields([]byte{3, 'a', 'b'})
	if s := r.Text(); s != "" || !errors.Is(r.Err(), ErrEnd) {
		t.Errorf("a text of 3 bytes in 2: %q, %v", s, r.Err())
	}
	r = NewFields(bytes.Repeat([]byte{0xff}, 11))
	if n := r.Uint(); n != 0 || !errors.Is(r.Err(), ErrEnd) {
		t.Errorf("a number without an end: %d, %v", n, r.Err())
	}
}

// A value in memory is given with a reference; one in a file, or one that was made here, has none to give.
func TestHeld(t *testing.T) {
	small := LargeOf(counting(3))
	if _, _, ok := small.Held(); ok || small.Len() != 3 || !slices.Equal(small.Shape(), []int{3}) {
		t.Errorf("a tensor of %d elements that was made here is held: %v", small.Len(), ok)
	}
	var into tensor.Dense[float32]
	if whole, err := small.Whole(&into); err != nil || !slices.Equal(whole.Data, []float32{0, 1, 2}) {
		t.Errorf("its whole is %v, %v", whole.Data, err)
	}

	s := &spooltest.Shelf{}
	var far Large[float32]
	if err := TakeLarge(&far, &wire.SlotFill{Blob: s.Put(make([]byte, 8), nil), Dims: []uint64{2}}, Open); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := far.Held(); ok || s.Shared() != 2 {
		t.Errorf("a tensor in a file is held: %v, with %d references", ok, s.Shared())
	}

	m := tensor.NewMemory(8)
	copy(m.Bytes(), tensor.Raw([]float32{5, 6}))
	var here Large[float32]
	blob := wire.HeldIn(m, m.Bytes()[:8])
	if err := TakeLarge(&here, &wire.SlotFill{Blob: blob, Dims: []uint64{2}}, Open); err != nil {
		t.Fatal(err)
	}
	x, share, ok := here.Held()
	if !ok || !slices.Equal(x, []float32{5, 6}) || share == nil {
		t.Fatalf("a tensor in memory is held: %v, %v", ok, x)
	}
	here.Reset()
	if !slices.Equal(x, []float32{5, 6}) {
		t.Errorf("without its Large it is %v", x)
	}
	share.Release()
}

// A host gets the encoding of an author's value, or the reason why there is none.
func TestOwnTensor(t *testing.T) {
	for _, c := range []struct {
		x    word
		want string
	}{
		{"four", "uint8[4] <nil>"},
		{"fives", "a values.word of 5 bytes, want at most 4"},
		{"", "a values.word: no word"},
	} {
		v, err := OwnTensor(&c.x, 4)
		got := fmt.Sprint(v, " ", err)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.x, got, c.want)
		}
	}
	var x Own[word]
	for want, v := range map[string]tensor.Value{
		"got nothing, want the bytes of a values.word as a tensor of uint8":    nil,
		"got a sequence, want the bytes of a values.word as a tensor of uint8": &tensor.Sequence{},
		"got a tensor, want the bytes of a values.word as a tensor of uint8":   tensor.Of([]int8{1}, 1),
		"a values.word of 9 bytes, want at most 4":                             tensor.New(tensor.Uint8, 9),
	} {
		if err := SetOwn(&x, v, 4); err == nil || err.Error() != want || x.there {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// marshaled is a type with MarshalBinary alone.
type marshaled struct{ fails error }

func (m *marshaled) MarshalBinary() ([]byte, error) { return []byte("own"), m.fails }
func (*marshaled) UnmarshalBinary([]byte) error     { return nil }

// A type of an author may have MarshalBinary in place of AppendBinary.
func TestMarshalBinary(t *testing.T) {
	b, err := EncodeOwn([]byte("x"), &marshaled{}, 3)
	if err != nil || string(b) != "x\x04own" {
		t.Errorf("%q, %v, want its length and 1, and its bytes", b, err)
	}
	for want, c := range map[string]struct {
		x    marshaled
		most int
	}{
		"a values.marshaled: full":                      {marshaled{errors.New("full")}, 3},
		"a values.marshaled of 3 bytes, want at most 2": {marshaled{}, 2},
	} {
		if b, err := EncodeOwn([]byte("x"), &c.x, c.most); err == nil || err.Error() != want || string(b) != "x" {
			t.Errorf("%q, %v, want x and %s", b, err, want)
		}
	}
}

// Peers and numbers of another size than they say are refused.
func TestHostileFills(t *testing.T) {
	list := AppendPeers(nil, make([]wire.PeerID, 2))
	var peers []wire.PeerID
	var p wire.PeerID
	var n int64
	for name, err := range map[string]error{
		"peers that end early":    TakePeers(&peers, &wire.SlotFill{Payload: list[:len(list)-1]}),
		"more peers than it says": TakePeers(&peers, &wire.SlotFill{Payload: append(list, 0)}),
		"no number of peers":      TakePeers(&peers, &wire.SlotFill{}),
		"very many peers":         TakePeers(&peers, &wire.SlotFill{Payload: binary.AppendUvarint(nil, math.MaxUint64)}),
		"half a peer":             TakePeer(&p, &wire.SlotFill{Payload: make([]byte, 16)}),
		"two for one":             TakePeer(&p, &wire.SlotFill{Payload: make([]byte, 64)}),
		"half a number":           TakeScalar(&n, &wire.SlotFill{Payload: make([]byte, 4)}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := TakePeers(&peers, &wire.SlotFill{Payload: list}); err != nil || len(peers) != 2 {
		t.Errorf("%d peers, %v, want 2", len(peers), err)
	}
	for n, want := range map[int64]string{0: "<nil>", math.MaxInt32: "<nil>", -1: "Rows is -1, want 0 to 2147483647", math.MaxInt32 + 1: "Rows is 2147483648, want 0 to 2147483647"} {
		if int64(int(n)) != n {
			continue // an int has 32 bits
		}
		if got := fmt.Sprint(CheckSize("Rows", int(n))); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
