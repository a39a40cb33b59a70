package serve

import (
	"encoding/binary"
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// fromBinary reads n elements of KServe's binary tensors: little-endian, row by row; a string has a length
// prefix of four bytes.
func fromBinary(d tensor.DType, shape []int, n int, b []byte) (tensor.Value, error) {
	if d == tensor.String {
		return stringsFrom(shape, n, b)
	}
	if want := n * d.Size(); len(b) != want {
		return nil, fmt.Errorf("binary_data_size is %d, want %d for %d elements", len(b), want, n)
	}
	if d == tensor.Bool {
		for i, x := range b {
			if x > 1 {
				return nil, fmt.Errorf("element %d is %d, want 0 or 1", i, x)
			}
		}
	}
	t := tensor.New(d, shape...)
	copy(t.Bytes(), b)
	tensor.FixOrder(t.Bytes(), d)
	return t, nil
}

func stringsFrom(shape []int, n int, b []byte) (tensor.Value, error) {
	if n > len(b)/4 {
		return nil, fmt.Errorf("binary_data_size is %d, want 4 at least for each of %d strings", len(b), n)
	}
	data := make([]string, n)
	for i := range data {
		if len(b) < 4 {
			return nil, fmt.Errorf("string %d has no length", i)
		}
		size := binary.LittleEndian.Uint32(b)
		if b = b[4:]; uint64(size) > uint64(len(b)) {
			return nil, fmt.Errorf("string %d has %d bytes, and %d are left", i, size, len(b))
		}
		data[i], b = string(b[:size]), b[size:]
	}
	if len(b) > 0 {
		return nil, fmt.Errorf("%d bytes behind the last string", len(b))
	}
	return tensor.Of(data, shape...), nil
}

// appendBinary appends the elements of a tensor in the encoding of [fromBinary].
func appendBinary(dst []byte, t *tensor.Tensor) []byte {
	if t.DType == tensor.String {
		for _, s := range tensor.Data[string](t) {
			dst = append(binary.LittleEndian.AppendUint32(dst, uint32(len(s))), s...)
		}
		return dst
	}
	at := len(dst)
	dst = append(dst, t.Bytes()...)
	tensor.FixOrder(dst[at:], t.DType)
	return dst
}
