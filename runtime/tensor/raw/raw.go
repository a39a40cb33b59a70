// Package raw converts the elements of tensors to their encoding in files and back: little-endian, with types
// below a byte packed. It knows no file format.
package raw

import (
	"io"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Len returns how many bytes n elements of d take in a file.
func Len(n int, d tensor.DType) int64 { return (int64(n)*int64(d.Bits()) + 7) / 8 }

// Fill sets the elements of t, which is no string tensor, from their encoding b. b may be t's own memory.
//
// Invariant: b has Len(t.Len(), t.DType) bytes.
func Fill(t *tensor.Tensor, b []byte) {
	d := t.DType
	switch {
	case d == tensor.Bool: // any nonzero byte is true
		for i := range tensor.Data[bool](t) {
			tensor.Data[bool](t)[i] = b[i] != 0
		}
	case d.Bits() < 8:
		UnpackBits(t.Bytes(), b, d.Bits(), d.IsInt() && d.IsSigned())
	default:
		copy(t.Bytes(), b)
		tensor.FixOrder(t.Bytes(), d)
	}
}

// Read is Fill for an encoding that read puts into the given memory: t's own, if elements have a byte or more.
func Read(t *tensor.Tensor, read func(b []byte) error) error {
	d := t.DType
	b := t.Bytes()
	if d.Bits() < 8 {
		b = make([]byte, Len(t.Len(), d))
	}
	if err := read(b); err != nil {
		return err
	}
	if d.Bits() < 8 || d == tensor.Bool {
		Fill(t, b)
	} else {
		tensor.FixOrder(b, d)
	}
	return nil
}

// Append appends the encoding of t, which is no string tensor.
func Append(dst []byte, t *tensor.Tensor) []byte {
	if bits := t.DType.Bits(); bits < 8 {
		return PackBits(dst, t.Bytes(), bits)
	}
	n := len(dst)
	dst = append(dst, t.Bytes()...)
	tensor.FixOrder(dst[n:], t.DType)
	return dst
}

// Bytes returns the encoding of t, which is no string tensor: t's own memory if that has the same bytes.
func Bytes(t *tensor.Tensor) []byte {
	if tensor.BigEndian || t.DType.Bits() < 8 {
		return Append(nil, t)
	}
	return t.Bytes()
}

// Write writes the result of [Bytes].
func Write(w io.Writer, t *tensor.Tensor) error {
	_, err := w.Write(Bytes(t))
	return err
}
