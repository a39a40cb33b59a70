// Package codec is the role Codec for tensors of float32: fewer bits for each
// element, or fewer elements. What is encoded says its own shape; what comes from a
// peer is checked before anything is allocated.
//
// Those that leave much out, [TopK], [RandomK] and [Sign], add what they have left out
// to the next value. They are for changes of a model, of which one is sent after the
// other: a slot of its own for each edge. A value counts as received when it was encoded.
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

var errShort = errors.New("what was encoded ends early")

// readShape returns the shape that b begins with, how many elements it has, and what
// follows. It allocates nothing for them.
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

// wantBytes says when there are not as many bytes as a shape has.
func wantBytes(b []byte, want int, shape []int) error {
	if len(b) != want {
		return fmt.Errorf("%w: %d bytes for shape %v, want %d", errShort, len(b), shape, want)
	}
	return nil
}

// shapeBytes is how many bytes the shape of a vector has.
func shapeBytes(elements int) int { return len(appendShape(nil, []int{elements})) }
