package protocol

import (
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/raw"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// TypeOf returns the description of a tensor and the data after the message: its own memory if that holds the
// same bytes.
func TypeOf(t *tensor.Tensor) (Type, []byte) {
	var b []byte
	switch {
	case t.DType == tensor.String:
		b = tensorio.AppendTensor(nil, "", t)
	case tensor.BigEndian || t.DType.Bits() < 8:
		b = raw.Append(nil, t)
	default:
		b = t.Bytes()
	}
	return Type{DType: t.DType, Shape: t.Shape, Bytes: uint64(len(b))}, b
}

// Copied returns the memory that [TypeOf] needs for a copy of a tensor's elements; 0 if it needs none.
func Copied(t *tensor.Tensor) int {
	switch {
	case t.DType == tensor.String:
		n := 0
		for _, x := range tensor.Data[string](t) {
			n += 2 * (len(x) + 11) // with the head of each, as the copy grows
		}
		return n
	case tensor.BigEndian || t.DType.Bits() < 8:
		return int(raw.Len(t.Len(), t.DType))
	}
	return 0
}

// check compares the number of bytes with the shape, before memory is allocated.
func (t *Type) check() error {
	if !t.DType.Valid() {
		return malformed("no element type has number %d", t.DType)
	}
	n, err := tensor.NumElements(t.Shape)
	if err != nil {
		return malformed("%v", err)
	}
	switch want := uint64(raw.Len(n, t.DType)); {
	case t.DType == tensor.String && uint64(n) > t.Bytes: // each has at least a head
		return malformed("%d strings in %d bytes", n, t.Bytes)
	case t.DType != tensor.String && t.Bytes != want:
		return malformed("%s has %d bytes, want %d", tensor.TypeText(t.DType, t.Shape), t.Bytes, want)
	}
	return nil
}

// Memory returns the bytes of a tensor of the type, including temporary memory while it is read.
func (t *Type) Memory() int {
	n, _ := tensor.NumElements(t.Shape)
	size := uint64(n) * uint64(t.DType.Size())
	if t.DType == tensor.String {
		size = uint64(n)*16 + t.Bytes
	}
	if t.DType.Bits() < 8 {
		size += t.Bytes // which are unpacked
	}
	return int(min(size, math.MaxInt))
}

// ReadElements returns a tensor with the elements that fill reads.
func (t *Type) ReadElements(fill func(b []byte) error) (*tensor.Tensor, error) {
	if t.DType == tensor.String || t.DType.Bits() < 8 {
		b := make([]byte, t.Bytes)
		if err := fill(b); err != nil {
			return nil, err
		}
		return t.unpack(b)
	}
	x := tensor.New(t.DType, t.Shape...)
	if err := fill(x.Bytes()); err != nil {
		return nil, err
	}
	raw.Fill(x, x.Bytes())
	return x, nil
}

// unpack returns a tensor from bytes with another layout than memory.
func (t *Type) unpack(b []byte) (*tensor.Tensor, error) {
	if t.DType != tensor.String {
		x := tensor.New(t.DType, t.Shape...)
		raw.Fill(x, b)
		return x, nil
	}
	x, err := consumeTensor(b)
	switch {
	case err != nil:
		return nil, err
	case x.DType != tensor.String || !slices.Equal(x.Shape, t.Shape):
		return nil, malformed("got %v, want %s", x, tensor.TypeText(t.DType, t.Shape))
	}
	return x, nil
}
