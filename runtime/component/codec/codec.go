// Package codec implements the role Codec for tensors of float32: fewer bits for each element, or fewer
// elements. Encoded data contain the shape; data from a peer are checked before anything is allocated.
//
// Codecs that leave out much, [TopK], [RandomK], [Sign] and [Sketch], add their error to the next value. They are for
// consecutive changes of a model, with a separate slot for each edge. An encoded value counts as received.
package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime/tensor"
)

func appendShape(b []byte, shape []int) []byte {
	b = append(b, byte(len(shape)))
	for _, d := range shape {
		b = binary.AppendUvarint(b, uint64(d))
	}
	return b
}

// encoding returns a shape, followed by size bytes of zeros, which begin at an index.
func encoding(shape []int, size int) (b []byte, at int) {
	b = appendShape(make([]byte, 0, 1+binary.MaxVarintLen64*len(shape)+size), shape)
	return b[:len(b)+size], len(b)
}

var errShort = errors.New("what was encoded ends early")

// readShape returns the shape at the beginning of b, its number of elements, and the rest of b. It allocates
// nothing for the elements.
func readShape(b []byte) (shape []int, n int, rest []byte, err error) {
	if len(b) == 0 || int(b[0]) > tensor.MaxRank {
		return nil, 0, nil, errShort
	}
	shape = make([]int, b[0])
	b = b[1:]
	for i := range shape {
		d, n := binary.Uvarint(b)
		if n <= 0 || d > math.MaxInt32 {
			return nil, 0, nil, errShort
		}
		shape[i], b = int(d), b[n:]
	}
	n, err = tensor.NumElements(shape)
	return shape, n, b, err
}

// wantBytes returns an error unless the number of bytes fits a shape.
func wantBytes(b []byte, want int, shape []int) error {
	if len(b) != want {
		return fmt.Errorf("%w: %d bytes for shape %v, want %d", errShort, len(b), shape, want)
	}
	return nil
}

// shapeBytes is how many bytes the shape of a vector has.
func shapeBytes(elements int) int { return len(appendShape(nil, []int{elements})) }
