package tensor

import (
	"encoding/binary"
	"slices"
	"unsafe"
)

// One returns a variable as the elements of a tensor of rank 0.
func One[T Element](p *T) []T { return unsafe.Slice(p, 1) }

// Raw returns elements in their encoding in messages: little endian, each in as many bytes as in memory. On
// almost every machine that is x's own memory; on others it is a copy. Strings have no such encoding.
func Raw[T Element](x []T) []byte {
	b := bytesOf(x)
	if BigEndian {
		b = slices.Clone(b)
		swap(b, DTypeOf[T]())
	}
	return b
}

// SetRaw sets the elements of x from b, the encoding of Raw.
//
// Invariant: b has as many bytes as x has in memory.
func SetRaw[T Element](x []T, b []byte) {
	dst := bytesOf(x)
	if len(b) != len(dst) {
		panic("BUG: tensor.SetRaw: sizes differ")
	}
	if _, ok := any(x).([]bool); ok { // any nonzero byte is true
		for i, v := range b {
			dst[i] = min(v, 1)
		}
		return
	}
	copy(dst, b)
	FixOrder(dst, DTypeOf[T]())
}

// ElementsIn returns the elements that b encodes in the form of [Raw], in b's own memory if possible.
func ElementsIn[T Element](b []byte) ([]T, bool) {
	var x T
	switch any(x).(type) {
	case bool, string: // not all bytes are valid elements
		return nil, false
	}
	size := int(unsafe.Sizeof(x))
	if BigEndian || !aligned8(b) || len(b)%size != 0 {
		return nil, false
	}
	return View[T](b, 0, len(b)/size), true
}

// ReadRaw is SetRaw for bytes from the function read, which reads into x's own memory.
func ReadRaw[T Element](x []T, read func(b []byte) error) error {
	b := bytesOf(x)
	if err := read(b); err != nil {
		return err
	}
	SetRaw(x, b)
	return nil
}

// BigEndian reports whether this machine is big endian, unlike files.
var BigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// FixOrder converts b, elements of d, from the machine's byte order to little endian or back. It does nothing
// on almost every machine.
func FixOrder(b []byte, d DType) {
	if BigEndian {
		swap(b, d)
	}
}

func swap(b []byte, d DType) {
	size := d.Size()
	if d.IsComplex() {
		size /= 2
	}
	for ; len(b) >= size && size > 1; b = b[size:] {
		slices.Reverse(b[:size])
	}
}
