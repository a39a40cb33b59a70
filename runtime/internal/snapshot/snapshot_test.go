package snapshot

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/values/spooltest"
	"github.com/bbgen/bbgen/runtime/wire"
)

// object is an object with an encoding of its own, or one that fails.
type object struct {
	bytes []byte
	err   error
}

func (o *object) AppendBinary(b []byte) ([]byte, error) { return append(b, o.bytes...), o.err }
func (o *object) UnmarshalBinary(b []byte) error {
	o.bytes = slices.Clone(b)
	return o.err
}

// What is written is read again, large objects from the spool, and no part of it is read as a whole.
func TestRoundTrip(t *testing.T) {
	id, _ := wire.PeerIDOf(bytes.Repeat([]byte{7}, 32))
	spool := &values.Keeper{Spool: &spooltest.Shelf{}}
	w := NewWriter([]byte("before"), spool)
	w.Uint(7, 1<<63)
	w.Int(3)
	w.Bool(true)
	w.String("a text")
	w.Bytes(nil)
	w.Peer(wire.PeerID{})
	w.Exec(wire.ExecID{Origin: id, Incarnation: 2, Number: 9})
	large := &object{bytes: make([]byte, 2*tensor.Large)}
	large.bytes[5] = 5
	w.Object("object", 1, large)
	w.Payload([]byte{1, 2}, nil)
	if w.Err != nil || spool.Err != nil {
		t.Fatal(w.Err, spool.Err)
	}
	b := w.B[len("before"):]
	read := func(b []byte) (r Reader, ok bool) {
		r = NewReader(b, spool)
		var got object
		ok = r.Uint() == 7 && r.Uint() == 1<<63 && r.Below("three", 4) == 3 && r.Bool() && string(r.Bytes()) == "a text" && len(r.Bytes()) == 0 &&
			r.PeerID().IsZero() && r.Exec() == wire.ExecID{Origin: id, Incarnation: 2, Number: 9}
		r.Object(&got, "object %d", 1)
		x := r.Payload()
		ok = ok && slices.Equal(got.bytes, large.bytes) && slices.Equal(x.Bytes(), []byte{1, 2})
		x.Release()
		return r, ok
	}
	if r, ok := read(b); !ok || r.Err() != nil || r.Left() != 0 {
		t.Errorf("it is read as something else: %v, %d bytes are left", r.Err(), r.Left())
	}
	for i := range b {
		if r, _ := read(b[:i]); !errors.Is(r.Err(), ErrUnusable) {
			t.Errorf("%d of %d bytes: %v", i, len(b), r.Err())
		}
	}
}

// The first error counts, and objects name themselves in theirs.
func TestErrors(t *testing.T) {
	spool := &values.Keeper{}
	w := NewWriter(nil, spool)
	w.Object("store", 3, &object{err: errors.New("no")})
	w.Object("store", 4, &object{err: errors.New("neither")})
	if w.Err == nil || w.Err.Error() != "snapshot: store 3: no" {
		t.Errorf("got %v", w.Err)
	}
	r := NewReader(w.B, spool)
	r.Object(&object{err: errors.New("damaged")}, "store %d", 3)
	r.Fail("another")
	if r.Err() == nil || r.Err().Error() != "not a usable snapshot: store 3: damaged" || r.Uint() != 0 || r.Bool() || r.Bytes() != nil {
		t.Errorf("got %v", r.Err())
	}
	if r := NewReader([]byte{9}, spool); r.Below("thing", 9) != 0 || r.Err().Error() != "not a usable snapshot: thing 9, want less than 9" {
		t.Errorf("got %v", r.Err())
	}
}

// TestTensors: a tensor is in snapshots, whatever its type and shape; and what is no such value,
// because a file was damaged, is an error instead of a wrong value or much memory.
func TestTensors(t *testing.T) {
	spool := &values.Keeper{}
	write := func(v *tensor.Tensor) []byte {
		w := NewWriter(nil, spool)
		w.Tensor(v)
		return w.B
	}
	for _, want := range []*tensor.Tensor{
		tensor.Of([]float64{1, -2, math.Inf(1)}, 3),
		tensor.Of([]float32{1, 2, 3, 4, 5, 6}, 2, 3),
		tensor.Of([]int8{-128}), // a scalar
		tensor.Of([]bool{true, false}, 2),
		tensor.Of([]uint16{}, 0, 5),
		tensor.Of([]string{"", "a text", "\xff"}, 3, 1),
		tensor.Of(make([]int64, tensor.Large), tensor.Large),
	} {
		r := NewReader(write(want), spool)
		got, _ := r.Tensor().(*tensor.Tensor)
		if r.Err() != nil || r.Left() > 0 || got == nil || got.DType != want.DType || !slices.Equal(got.Shape, want.Shape) || !reflect.DeepEqual(got.Data, want.Data) {
			t.Errorf("%v %v comes back as %+v, %v, and %d bytes are left", want.DType, want.Shape, got, r.Err(), r.Left())
		}
	}
	texts, flags, one := write(tensor.Of([]string{"a"}, 1)), write(tensor.Of([]bool{true}, 1)), values.AppendShape(nil, []int{1})
	if r := NewReader(append(slices.Clone(flags[:len(flags)-1]), 7), spool); tensor.Data[bool](r.Tensor().(*tensor.Tensor))[0] != true || r.Err() != nil {
		t.Errorf("a truth of 7 is not read as true: %v", r.Err())
	}
	for _, tt := range []struct {
		what, want string
		b          []byte
	}{
		{"no type", "element type", []byte{0xff, 0xff, 0x7f}},
		{"no shape", "and shape", flags[:1]},
		{"no elements", "ends early", flags[:1+len(one)]},
		{"more strings than bytes", "strings in", append([]byte{texts[0]}, values.AppendShape(nil, []int{1 << 20})...)},
		{"a string that ends early", "", texts[:len(texts)-1]},
		{"fewer bytes than elements", "bytes, want", append(append([]byte{flags[0]}, values.AppendShape(nil, []int{1 << 20})...), flags[1+len(one):]...)},
	} {
		r := NewReader(tt.b, spool)
		if r.Tensor(); !errors.Is(r.Err(), ErrUnusable) || !strings.Contains(r.Err().Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.what, r.Err(), tt.want)
		}
	}
}
