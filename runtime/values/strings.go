package values

import (
	"encoding/binary"
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Strings have no fixed size: each is preceded by its length.

// AppendStrings appends the payload of a fill of strings: the length of each string, and the string.
func AppendStrings(b []byte, list []string) []byte {
	for _, s := range list {
		b = AppendText(b, s)
	}
	return b
}

// AppendDenseStrings is [AppendDense] for a tensor of strings.
func AppendDenseStrings(b []byte, x tensor.Dense[string]) []byte {
	if len(x.Shape) == 0 && len(x.Data) == 0 {
		return append(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(len(x.Shape)+1))
	for _, d := range x.Shape {
		b = binary.AppendUvarint(b, uint64(d))
	}
	return AppendStrings(b, x.Data)
}

// ReadDenseStrings is [ReadDense] for a tensor of strings.
func ReadDenseStrings(r *Fields, x *tensor.Dense[string]) {
	var dims [tensor.MaxRank]int
	shape, ok := r.Shape(&dims)
	if !ok {
		x.Reset()
		return
	}
	n, err := tensor.NumElements(shape)
	if err != nil {
		r.fail(err)
	}
	r.strings(x, shape, n)
}

// strings reads n strings, of at least one byte each.
func (r *Fields) strings(x *tensor.Dense[string], shape []int, n int) {
	if n > len(r.b) {
		r.fail(ErrEnd)
	}
	if r.err != nil {
		return
	}
	x.Resize(shape...)
	for i := range x.Data {
		x.Data[i] = r.Text()
	}
}

// TakeDenseStrings is [TakeDense] for a tensor of strings.
func TakeDenseStrings(x *tensor.Dense[string], fill *wire.SlotFill, dims ...int) error {
	var sizes [tensor.MaxRank]int
	shape := sizes[:len(dims)]
	n, err := sizeOf(shape, fill, dims)
	if err != nil {
		return err
	}
	b, err := Payload(fill)
	if err != nil {
		return err
	}
	r := NewFields(b)
	if r.strings(x, shape, n); r.End() != nil {
		return fmt.Errorf("%d strings in %d bytes: %w", n, len(b), r.End())
	}
	return nil
}
