package tensorio

import (
	"encoding/binary"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// bigEndian is whether this machine keeps the upper byte first, as no file
// does.
var bigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// fixOrder turns b, elements of d, from the machine's byte order to the file's
// or back. It does nothing on nearly every machine.
func fixOrder(b []byte, d tensor.DType) {
	if bigEndian {
		swapBytes(b, d)
	}
}

func swapBytes(b []byte, d tensor.DType) {
	size := d.Size()
	if d.IsComplex() {
		size /= 2
	}
	for ; len(b) >= size && size > 1; b = b[size:] {
		slices.Reverse(b[:size])
	}
}

// setRaw fills t, which is no string tensor, with raw, its bytes in a file.
//
// Invariant: raw has packedLen(t.Len(), t.DType.Bits()) bytes.
func setRaw(t *tensor.Tensor, raw []byte) {
	d := t.DType
	switch {
	case d == tensor.Bool: // any byte but 0 is true
		for i := range tensor.Data[bool](t) {
			tensor.Data[bool](t)[i] = raw[i] != 0
		}
	case d.Bits() < 8:
		UnpackBits(t.Bytes(), raw, d.Bits(), d.IsInt() && d.IsSigned())
	default:
		copy(t.Bytes(), raw)
		fixOrder(t.Bytes(), d)
	}
}

// appendRaw appends t's bytes in a file; t is no string tensor.
func appendRaw(dst []byte, t *tensor.Tensor) []byte {
	if bits := t.DType.Bits(); bits < 8 {
		return PackBits(dst, t.Bytes(), bits)
	}
	n := len(dst)
	dst = append(dst, t.Bytes()...)
	fixOrder(dst[n:], t.DType)
	return dst
}
