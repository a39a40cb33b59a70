package values

import (
	"fmt"
	"io"
	"iter"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Large is a tensor that may be too large for memory, such as a contribution to a gather. An aggregator can
// read it in parts, so that it needs memory only for its own sum, whatever the number of peers. An aggregator
// that takes a [tensor.Dense] reads it as a whole.
type Large[T tensor.Element] struct {
	small tensor.Dense[T] // the tensor, or only its shape
	blob  wire.Blob       // the elements, if they are not in small
}

// LargeOf returns a Large for a tensor in memory.
func LargeOf[T tensor.Element](x tensor.Dense[T]) *Large[T] { return &Large[T]{small: x} }

// Shape returns the tensor's shape.
func (l *Large[T]) Shape() []int { return l.small.Shape }

// Len returns the number of elements.
func (l *Large[T]) Len() int {
	if l.blob == nil {
		return l.small.Len()
	}
	return int(l.blob.Size()) / elementSize[T]()
}

// partSize is how many bytes of a tensor in a file are in memory at a time.
const partSize = 256 << 10

// Parts returns the elements in their order, in parts. A part is borrowed until the next one. An error means
// that the rest cannot be read.
func (l *Large[T]) Parts() iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		if l.blob == nil {
			yield(l.small.Data, nil)
			return
		}
		if all, ok := l.here(); ok {
			yield(all, nil)
			return
		}
		part := make([]T, partSize/elementSize[T]())
		var at int64
		for left := l.Len(); left > 0; left -= len(part) {
			part = part[:min(left, len(part))]
			err := tensor.ReadRaw(part, func(b []byte) error {
				n, err := l.blob.ReadAt(b, at)
				if at += int64(n); n == len(b) {
					err = nil
				}
				return err
			})
			if err != nil {
				yield(nil, unread(err))
				return
			}
			if !yield(part, nil) {
				return
			}
		}
	}
}

// here returns the elements if their blob has them in memory.
func (l *Large[T]) here() ([]T, bool) {
	b := l.blob.Bytes()
	if b == nil {
		return nil, false
	}
	return tensor.ElementsIn[T](b)
}

// Held returns the elements in place, if they are in memory that does not change, with a reference to that
// memory. The caller releases the reference.
func (l *Large[T]) Held() (x []T, share wire.Blob, ok bool) {
	if l.blob == nil {
		return nil, nil, false
	}
	if x, ok = l.here(); ok {
		l.blob.Retain()
	}
	return x, l.blob, ok
}

func unread(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("a large value: %w", err)
}

// Whole returns the tensor in memory; if it is in a file, it is read into into. The result is borrowed until
// into or l is used again.
func (l *Large[T]) Whole(into *tensor.Dense[T]) (tensor.Dense[T], error) {
	if l.blob == nil {
		return l.small, nil
	}
	if all, ok := l.here(); ok {
		return tensor.DenseIn(l.blob.Memory(), all, l.small.Shape...), nil
	}
	into.Resize(l.small.Shape...)
	err := tensor.ReadRaw(into.Data, func(b []byte) error { return ReadBlob(b, l.blob) })
	return *into, err
}

// Reset makes l empty. It keeps the memory of a small tensor.
func (l *Large[T]) Reset() {
	l.small.Reset()
	if l.blob != nil {
		l.blob.Release()
		l.blob = nil
	}
}

// TakeLarge sets x to the tensor of a fill. A tensor that came in chunks stays where it is. The fill holds the
// open sizes of the type.
func TakeLarge[T tensor.Element](x *Large[T], fill *wire.SlotFill, dims ...int) error {
	if fill.Blob == nil {
		return TakeDense(&x.small, fill, dims...)
	}
	var sizes [tensor.MaxRank]int
	shape, err := shapeOf[T](sizes[:len(dims)], fill, dims)
	if err != nil {
		return err
	}
	x.Reset()
	x.set(fill.Blob, shape)
	fill.Blob.Retain()
	return nil
}

// set sets x to the tensor of a blob, and takes over the caller's reference to the blob.
func (l *Large[T]) set(b wire.Blob, shape []int) {
	l.small.Shape, l.blob = append(l.small.Shape[:0], shape...), b
}
