// Package raw turns the elements of tensors into bytes as files have them, and
// back: little-endian, and those below a byte packed. It knows no file format.
package raw

import (
	"io"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Len is how many bytes n elements of d take in a file.
func Len(n int, d tensor.DType) int64 { return (int64(n)*int64(d.Bits()) + 7) / 8 }

// Fill gives t, which is no string tensor, the elements whose bytes in a file
// are b. That may be t's own memory.
//
// Invariant: b has Len(t.Len(), t.DType) bytes.
func Fill(t *tensor.Tensor, b []byte) {
	d := t.DType
	switch {
	case d == tensor.Bool: // any byte but 0 is true
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

// Append appends t's bytes in a file; t is no string tensor.
func Append(dst []byte, t *tensor.Tensor) []byte {
	if bits := t.DType.Bits(); bits < 8 {
		return PackBits(dst, t.Bytes(), bits)
	}
	n := len(dst)
	dst = append(dst, t.Bytes()...)
	tensor.FixOrder(dst[n:], t.DType)
	return dst
}

// Write writes t's bytes in a file; t is no string tensor. Nothing is copied
// where memory holds the same bytes.
func Write(w io.Writer, t *tensor.Tensor) error {
	b := t.Bytes()
	if tensor.BigEndian || t.DType.Bits() < 8 {
		b = Append(nil, t)
	}
	_, err := w.Write(b)
	return err
}
