package values

import (
	"fmt"
	"io"
	"iter"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Large is a tensor that may be too large for memory: what a peer contributes to
// a gather. It is read in parts, which is how an aggregator takes it that must not
// have more than its own sum in memory, whatever the number of peers; or whole,
// for one that takes a [tensor.Dense].
type Large[T tensor.Element] struct {
	small tensor.Dense[T] // the tensor, or its shape alone
	blob  wire.Blob       // where the elements are, if not in small
}

// LargeOf is a tensor in memory.
func LargeOf[T tensor.Element](x tensor.Dense[T]) *Large[T] { return &Large[T]{small: x} }

// Shape is the tensor's.
func (l *Large[T]) Shape() []int { return l.small.Shape }

// Len is how many elements there are.
func (l *Large[T]) Len() int {
	if l.blob == nil {
		return l.small.Len()
	}
	return int(l.blob.Size()) / elementSize[T]()
}

// partSize is how many bytes of a tensor in a file are in memory at a time.
const partSize = 256 << 10

// Parts returns the elements in their order, some at a time. A part is borrowed
// until the next one. The error says that the rest cannot be read.
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

// here is the elements where their blob has them in memory.
func (l *Large[T]) here() ([]T, bool) {
	b := l.blob.Bytes()
	if b == nil {
		return nil, false
	}
	return tensor.ElementsIn[T](b)
}

// Held returns the elements where they stand, if they are in memory that does not
// change: as long as the caller has his share in it, which he releases.
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

// Whole returns the tensor in memory, in that of into if it is in none. It is
// borrowed until into or l is used again.
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

// TakeLarge makes x the tensor that a fill brings, which stays where it is if it
// came as chunks. The sizes that its type leaves open travel in the fill.
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

// set makes x the tensor that a blob holds, whose share it takes.
func (l *Large[T]) set(b wire.Blob, shape []int) {
	l.small.Shape, l.blob = append(l.small.Shape[:0], shape...), b
}
