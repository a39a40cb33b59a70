package values

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Inputs of other types and shapes are refused before anything is set, and the error says what was expected: they come
// from the host, and sizes of the model depend on them.
func TestAssign(t *testing.T) {
	x := tensor.Of([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	for _, c := range []struct {
		v    tensor.Value
		want string // "" for success
	}{
		{x, ""},
		{tensor.New(tensor.Float32, 4, 3), ""},
		{tensor.New(tensor.Float32, 2, 4), "got float32[2,4], want float32[?,3]"},
		{tensor.New(tensor.Float32, 6), "got float32[6], want float32[?,3]"},
		{tensor.New(tensor.Float64, 2, 3), "got float64[2,3], want float32[?,3]"},
		{&tensor.Sequence{}, "got a sequence, want a tensor"},
		{&tensor.Optional{}, "got an optional, want a tensor"},
		{&tensor.Map{}, "got a map, want a tensor"},
		{nil, "got nothing, want a tensor"},
	} {
		var dst []float32
		n := -1
		err := Assign(&dst, c.v, Varies(&n), Fixed(3))
		switch {
		case c.want == "":
			if want := c.v.(*tensor.Tensor).Shape[0]; err != nil || n != want || len(dst) != 3*want {
				t.Errorf("got %d rows, %d elements, %v, want %d", n, len(dst), err, want)
			}
		case err == nil || !strings.Contains(err.Error(), c.want) || dst != nil || n != -1:
			t.Errorf("got %v, want %q; %v and %d are set", err, c.want, dst, n)
		}
	}
}

// The other types of inputs are checked, too. A value of any type may stand for an optional that has it.
func TestAssignOthers(t *testing.T) {
	s, o := &tensor.Sequence{Elem: tensor.Float32}, &tensor.Optional{}
	m := &tensor.Map{Keys: tensor.New(tensor.String, 1), Values: tensor.New(tensor.Float32, 1)}
	x := tensor.New(tensor.Float32)
	var gotS *tensor.Sequence
	var gotO *tensor.Optional
	var gotM *tensor.Map
	for _, c := range []struct {
		err  error
		want string
	}{
		{AssignSequence(&gotS, s), ""},
		{AssignSequence(&gotS, x), "got a tensor, want a sequence"},
		{AssignOptional(&gotO, x), ""},
		{AssignMap(&gotM, m, tensor.String, tensor.Float32), ""},
		{AssignMap(&gotM, x, tensor.String, tensor.Float32), "got a tensor, want a map"},
		{AssignMap(&gotM, m, tensor.Int64, tensor.Float32), "want map(int64,float32)"},
		{AssignMap(&gotM, m, tensor.String, tensor.Float64), "want map(string,float64)"},
		{CheckLen("X", 6, 6, "float32[2,3]"), ""},
		{CheckLen("X", 5, 6, "float32[2,3]"), "input X has 5 elements, want 6: float32[2,3]"},
		{CheckSize("Batch", -1), "Batch is -1, want 0 to 2147483647"},
		{CheckShape("x", []int{2, 3}, 2, Open), ""},
		{CheckShape("x", []int{2, 3}, 2, 4), "x has shape [2 3], want [2,4]"},
		{CheckShape("x", []int{2}, Open, 4), "x has shape [2], want [?,4]"},
	} {
		if (c.err == nil) != (c.want == "") || c.err != nil && !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("got %v, want %q", c.err, c.want)
		}
	}
	if gotS != s || gotO.Value != x || gotM != m {
		t.Error("other values are set")
	}
	if err := AssignOptional(&gotO, o); err != nil || gotO != o {
		t.Errorf("an optional is wrapped again: %v", err)
	}
}

// Peers travel to the host and back by their names, each once.
func TestPeers(t *testing.T) {
	a, b := peerName(1), peerName(2)
	var list []wire.PeerID
	if err := SetPeers(&list, PeerNames(a, b)); err != nil || !slices.Equal(list, []wire.PeerID{a, b}) {
		t.Errorf("got %v, %v", list, err)
	}
	var one wire.PeerID
	if err := SetPeer(&one, PeerNames(b)); err != nil || one != b {
		t.Errorf("got %v, %v", one, err)
	}
	for _, c := range []struct {
		v    tensor.Value
		want string
	}{
		{PeerNames(a, a), "is named twice"},
		{tensor.Of([]string{"nobody"}, 1), "nobody"},
		{tensor.Of([]float32{1}, 1), "got a tensor, want the names of peers"},
		{nil, "got nothing, want the names of peers"},
	} {
		if err := SetPeers(&list, c.v); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	if err := SetPeer(&one, PeerNames(a, b)); err == nil || err.Error() != "got 2 peers, want 1" || one != b {
		t.Errorf("two peers for one: %v", err)
	}
	if len(list) != 2 {
		t.Errorf("an error has changed the list to %v", list)
	}
}

// Scalars and values of the author's types reach the host as tensors.
func TestScalars(t *testing.T) {
	var x float32
	if err := SetScalar(&x, tensor.Of([]float32{3})); err != nil || x != 3 {
		t.Errorf("got %v, %v", x, err)
	}
	if err := SetScalar(&x, tensor.Of([]float32{3}, 1)); err == nil || x != 3 {
		t.Error("a vector is taken for a scalar")
	}
	if err := TakeScalar(&x, &wire.SlotFill{Payload: []byte{1, 2, 3}}); err == nil || err.Error() != "got 3 bytes, want 4" {
		t.Error(err)
	}
	if err := TakeScalar(&x, &wire.SlotFill{Payload: tensor.Raw([]float32{5})}); err != nil || x != 5 {
		t.Errorf("got %v, %v", x, err)
	}
	if *Number(int64(7)) != 7 {
		t.Error("a number is another one")
	}
}

// The host may keep what it is given: a small tensor is a copy, a large one shares memory that does not change. Dropping
// a large tensor tells how many bytes become free.
func TestKept(t *testing.T) {
	small := tensor.DenseOf([]float32{1, 2}, 2)
	kept := Kept(small).(*tensor.Tensor)
	small.Data[0] = 9
	if got := tensor.Data[float32](kept); got[0] != 1 {
		t.Errorf("a kept value changes to %v", got)
	}
	if n := Drop(&small); n != 0 || small.Len() != 2 {
		t.Errorf("dropping a small tensor gives %d bytes, and leaves %d elements", n, small.Len())
	}
	large := tensor.DenseOf(make([]float32, 1<<20), 1<<20)
	large.Resize(1 << 20)
	if !large.IsLarge() {
		t.Fatal("a megabyte is not large")
	}
	kept = Kept(large).(*tensor.Tensor)
	if &tensor.Data[float32](kept)[0] != &large.Data[0] {
		t.Error("a large value is copied")
	}
	Drop(&large)
	if large.Len() != 0 {
		t.Error("a dropped value is still there")
	}
}

// ended is a file that is shorter than it said.
type ended struct{ wire.Blob }

func (ended) Bytes() []byte                     { return nil }
func (ended) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }

// A value whose file is cut off is an error in a snapshot and for its reader, never a value of zeros.
func TestCutOff(t *testing.T) {
	file := ended{wire.Bytes("12345678")}
	k := &Keeper{}
	k.AppendBlob(nil, file)
	if !errors.Is(k.Err, io.ErrUnexpectedEOF) || !strings.Contains(k.Err.Error(), "a value of 8 bytes") {
		t.Errorf("the snapshot has %v", k.Err)
	}
	if _, err := Payload(&wire.SlotFill{Blob: file}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("its reader gets %v", err)
	}
	var x tensor.Dense[float32]
	if err := TakeDense(&x, &wire.SlotFill{Blob: file}, 2); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a tensor of it is %v, %v", x, err)
	}
	r := NewFields(k.AppendBlob(nil, wire.Bytes("word")))
	if b, err := k.Read(r); err != nil || string(b.Bytes()) != "word" {
		t.Errorf("got %v, %v", b, err)
	}
}
