package eval

import (
	"math"
	"reflect"

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
	if e.Take != nil {
		e.takeBytes(Bytes(d, shape))
	}
}

func (e *env) takeBytes(n int) {
	if e.Take == nil {
		return
	}
	if err := e.Take(n); err != nil {
		panic(refusal{err})
	}
}

// headerBytes is about the size of a tensor without its elements.
const headerBytes = 128

// takeText requests the memory of the strings that a kernel writes, if they may be longer than those that it reads: a graph of
// forty nodes can double a character to a terabyte.
func (e *env) takeText(kernel string, args []reflect.Value) {
	if e.Take == nil || kernel != "StringConcat" {
		return
	}
	dst, a, b := args[0].Interface().([]string), args[1].Interface().([]string), args[2].Interface().([]string)
	n := 0
	for i := range dst {
		n += len(a[min(i, len(a)-1)]) + len(b[min(i, len(b)-1)])
	}
	e.takeBytes(n)
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
