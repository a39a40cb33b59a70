package dataset

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// An IDX file, MNIST's format, is two zero bytes, the type of an element, the
// number of dimensions, the dimensions as big-endian 32-bit numbers, and the
// elements, big-endian.
var idxTypes = map[byte]tensor.DType{
	0x08: tensor.Uint8,
	0x09: tensor.Int8,
	0x0b: tensor.Int16,
	0x0c: tensor.Int32,
	0x0d: tensor.Float32,
	0x0e: tensor.Float64,
}

// DecodeIDX reads an IDX file. A wrong file size is an error, before anything is allocated.
func DecodeIDX(b []byte) (*tensor.Tensor, error) {
	if len(b) < 4 {
		return nil, fmt.Errorf("idx: file has %d bytes, want at least 4", len(b))
	}
	if b[0] != 0 || b[1] != 0 {
		return nil, fmt.Errorf("idx: file begins with % x, want 00 00", b[:2])
	}
	d, ok := idxTypes[b[2]]
	if !ok {
		return nil, fmt.Errorf("idx: elements have type %#02x, want 0x08 (bytes), 0x09, 0x0b, 0x0c, 0x0d or 0x0e", b[2])
	}
	rank := int(b[3])
	data := b[4:]
	if len(data) < 4*rank {
		return nil, fmt.Errorf("idx: file ends in its %d dimensions", rank)
	}
	shape := make([]int, rank)
	for i := range shape {
		n := binary.BigEndian.Uint32(data[4*i:])
		if n > math.MaxInt32 {
			return nil, fmt.Errorf("idx: dimension %d, want at most %d", n, math.MaxInt32)
		}
		shape[i] = int(n)
	}
	data = data[4*rank:]
	n, err := tensor.NumElements(shape)
	if err != nil {
		return nil, fmt.Errorf("idx: %w", err)
	}
	if int64(n)*int64(d.Size()) != int64(len(data)) {
		return nil, fmt.Errorf("idx: %d bytes of data, want %d for %s", len(data), int64(n)*int64(d.Size()), tensor.TypeText(d, shape))
	}
	t := tensor.New(d, shape...)
	if _, err := binary.Decode(data, binary.BigEndian, t.Data); err != nil {
		return nil, fmt.Errorf("idx: %w", err)
	}
	return t, nil
}

// AppendIDX appends t as an IDX file.
func AppendIDX(dst []byte, t *tensor.Tensor) ([]byte, error) {
	code := byte(0)
	for c, d := range idxTypes {
		if d == t.DType {
			code = c
		}
	}
	if code == 0 {
		return nil, fmt.Errorf("idx has no %v", t.DType)
	}
	if len(t.Shape) > math.MaxUint8 {
		return nil, fmt.Errorf("idx has no room for %d dimensions", len(t.Shape))
	}
	dst = append(dst, 0, 0, code, byte(len(t.Shape)))
	for _, n := range t.Shape {
		if n > math.MaxInt32 {
			return nil, fmt.Errorf("idx: dimension %d, want at most %d", n, math.MaxInt32)
		}
		dst = binary.BigEndian.AppendUint32(dst, uint32(n))
	}
	return binary.Append(dst, binary.BigEndian, t.Data)
}

// idxNames are the names of files in a folder, images first.
var idxNames = []struct{ images, labels, valImages, valLabels string }{
	{"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"},
	{"train-images.idx3-ubyte", "train-labels.idx1-ubyte", "t10k-images.idx3-ubyte", "t10k-labels.idx1-ubyte"},
	{"train-images.idx", "train-labels.idx", "val-images.idx", "val-labels.idx"},
}

// openIDX reads a folder of IDX files, which may be compressed. It returns nil if there are none.
func (o *opener) openIDX() (*Set, error) {
	for _, n := range idxNames {
		if !o.has(n.images) && !o.has(n.images+".gz") {
			continue
		}
		train, err := o.idxPair(n.images, n.labels)
		if err != nil {
			return nil, err
		}
		set := &Set{Train: train, Classes: classesOf(train)}
		if o.has(n.valImages) || o.has(n.valImages+".gz") {
			set.Val, err = o.idxPair(n.valImages, n.valLabels)
		}
		return set, err
	}
	return nil, nil
}

// classesOf returns the number of classes if labels are bytes, as in MNIST. Other labels may be values.
func classesOf(s DataSource) int {
	m := s.(*memory)
	labels, ok := m.y.t.Data.([]uint8)
	if !ok || len(labels) == 0 {
		return 0
	}
	return int(slices.Max(labels)) + 1
}

func (o *opener) idxPair(images, labels string) (DataSource, error) {
	x, err := ReadIDX(o.fsys, images)
	if err != nil {
		return nil, err
	}
	y, err := ReadIDX(o.fsys, labels)
	if err != nil {
		return nil, err
	}
	s, err := NewMemory(x, y, o.X, o.Y)
	if err != nil {
		return nil, fmt.Errorf("%s, %s: %w", images, labels, err)
	}
	return s, nil
}

// ReadIDX reads an IDX file, or the compressed file of the same name.
func ReadIDX(fsys fs.FS, name string) (*tensor.Tensor, error) {
	b, err := readMaybeZipped(fsys, name, maxHeld)
	if err != nil {
		return nil, err
	}
	t, err := DecodeIDX(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}
