package handmade

import (
	"bytes"
	"encoding"
	"reflect"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bbgen/bbgen/runtime/wire"
)

// state is what snapshots hold.
type state interface {
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

// TestStates: each state is read as it was written, into one that held something else, and one that was cut off is refused or changes
// nothing that a whole one would not.
func TestStates(t *testing.T) {
	x, y := []float64{1, -2, 0.5}, []float64{4}
	for _, c := range []struct{ from, to state }{
		{&ping{done: 3}, &ping{done: 9}},
		{&reducer{done: 300}, &reducer{done: 1}},
		{&reducerFrame{x: x, sum: y}, &reducerFrame{x: y}},
		{&server{done: 2}, &server{done: 7}},
		{&serverFrame{params: x}, &serverFrame{params: y}},
		{&updateFrame{update: x}, &updateFrame{update: y}},
		{&clientFrame{x: x}, &clientFrame{x: y}},
		{&stepper{state: x}, &stepper{state: y}},
		{&stepFrame{number: -5, sum: x}, &stepFrame{number: 1, sum: y}},
	} {
		b, err := c.from.AppendBinary([]byte("before"))
		if err != nil {
			t.Fatal(err)
		}
		b = b[len("before"):]
		if err := c.to.UnmarshalBinary(b); err != nil {
			t.Fatalf("%T: %v", c.to, err)
		}
		again, err := c.to.AppendBinary(nil)
		if err != nil || !bytes.Equal(again, b) {
			t.Errorf("%T: %x became %x, %v", c.to, b, again, err)
		}
		if !reflect.DeepEqual(c.to, c.from) {
			t.Errorf("%T: read as %+v, want %+v", c.to, c.to, c.from)
		}
		for n := range b {
			if err := c.to.UnmarshalBinary(b[:n]); err == nil {
				t.Errorf("%T: %d of %d bytes are a state", c.to, n, len(b))
			}
		}
	}
}

// TestOldEnvelope reads an envelope of the old form field by field.
func TestOldEnvelope(t *testing.T) {
	from, err := wire.PeerIDOf(bytes.Repeat([]byte{1}, 32))
	if err != nil {
		t.Fatal(err)
	}
	to, err := wire.PeerIDOf(bytes.Repeat([]byte{2}, 32))
	if err != nil {
		t.Fatal(err)
	}
	b := OldEnvelope(from, to, 77, []wire.SlotFill{{Suffix: []byte("s"), Type: 5, Payload: []byte("load")}})
	fields := map[protowire.Number][]byte{}
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		size := protowire.ConsumeFieldValue(number, kind, b[n:])
		if size < 0 {
			t.Fatal(protowire.ParseError(size))
		}
		if fields[number] != nil {
			t.Errorf("field %d is there twice", number)
		}
		value := b[n:][:size]
		if kind == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(value)
		}
		fields[number], b = value, b[n+size:]
	}
	if len(fields) != 8 {
		t.Errorf("%d fields, want 8", len(fields))
	}
	if sender := fields[6]; len(sender) != 34 || !bytes.HasPrefix(sender, []byte{0x12, 0x20}) || !bytes.Contains(fields[8], sender) || bytes.Contains(fields[1], sender) {
		t.Errorf("the sender is %x, the address of the receiver %x, that of the sender %x", sender, fields[1], fields[8])
	}
	want := protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.VarintType), 77)
	if !bytes.HasSuffix(fields[3], want) || !bytes.Contains(fields[2], []byte("load")) {
		t.Errorf("the request is %x, the fill %x", fields[3], fields[2])
	}
}
