package eval

import (
	"math"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Limits limit the evaluation of an untrusted graph.
type Limits struct {
	Take func(bytes int) error // called before a tensor is allocated; nil: no limit
	Stop func() error          // called before each node; nil: never stop
}

// refusal is the panic value for an error of [Limits.Take].
type refusal struct{ error }

func (e *env) stopped() error {
	if e.Stop == nil {
		return nil
	}
	return e.Stop()
}

// take requests the memory of a tensor.
func (e *env) take(d tensor.DType, shape []int) {
	if e.Take == nil {
		return
	}
	if err := e.Take(Bytes(d, shape)); err != nil {
		panic(refusal{err})
	}
}

// stringBytes is the size of an element of a string tensor, without its content.
const stringBytes = 16

// Bytes returns the size of a tensor in bytes, or the largest int on overflow.
func Bytes(d tensor.DType, shape []int) int {
	size := d.Size()
	if size == 0 {
		size = stringBytes
	}
	n, err := tensor.NumElements(shape)
	if err != nil || n > math.MaxInt/size {
		return math.MaxInt
	}
	return n * size
}
