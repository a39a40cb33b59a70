package tensor

import (
	"bytes"
	"fmt"
	"math"
	"slices"
)

// Tensor is a dense tensor whose type and shape are known only at run time. Its elements are in row-major
// order.
//
// Invariant: Data is a slice of the type that DType.GoType names, and its
// length is the product of Shape.
type Tensor struct {
	DType DType
	Shape []int // empty for a scalar
	Data  any

	memory *Memory // of a tensor that was lent, if its memory has a reference count
}

// MaxRank is the maximum number of axes for kernels: they keep sizes and strides in arrays to avoid
// allocations.
const MaxRank = 16

// maxElements bounds what NumElements accepts: the size in bytes fits an int,
// on machines of 32 bits, too.
const maxElements = min(1<<48, math.MaxInt>>4)

// NumElements is the product of shape, 1 for a scalar. Negative dimensions and
// more than 1<<48 elements (1<<27-1 on machines of 32 bits) are errors.
func NumElements(shape []int) (int, error) {
	n, zero := 1, false
	for i, d := range shape {
		if d < 0 {
			return 0, fmt.Errorf("shape %v has dimension %d at %d, want none below 0", shape, d, i)
		}
		zero = zero || d == 0
	}
	if zero {
		return 0, nil
	}
	for _, d := range shape {
		if d > maxElements/n {
			return 0, fmt.Errorf("shape %v has more than %d elements", shape, maxElements)
		}
		n *= d
	}
	return n, nil
}

// New is a tensor of zeros (of empty strings, for [String]).
func New(d DType, shape ...int) *Tensor {
	if !d.Valid() {
		panic(fmt.Sprintf("BUG: tensor.New of %v", d))
	}
	n, err := NumElements(shape)
	if err != nil {
		panic("BUG: tensor.New: " + err.Error())
	}
	return &Tensor{DType: d, Shape: slices.Clone(shape), Data: storages[d].make(n)}
}

// Of wraps data, which the tensor keeps.
func Of[T Element](data []T, shape ...int) *Tensor {
	n, err := NumElements(shape)
	if err != nil {
		panic("BUG: tensor.Of: " + err.Error())
	}
	if n != len(data) {
		panic(fmt.Sprintf("BUG: tensor.Of: %d elements for shape %v, want %d", len(data), shape, n))
	}
	return &Tensor{DType: DTypeOf[T](), Shape: slices.Clone(shape), Data: data}
}

// Data is t's elements, not a copy. T must be the type that t.DType.GoType
// names.
func Data[T Element](t *Tensor) []T {
	s, ok := t.Data.([]T)
	if !ok {
		panic(fmt.Sprintf("BUG: tensor.Data: tensor of %v read as %v", t.DType, DTypeOf[T]()))
	}
	return s
}

// Len is the number of elements.
func (t *Tensor) Len() int { return storages[t.DType].len(t.Data) }

// Clone is a tensor with its own copy of shape and elements.
func (t *Tensor) Clone() *Tensor {
	c := New(t.DType, t.Shape...)
	if t.DType == String {
		copy(Data[string](c), Data[string](t))
		return c
	}
	copy(c.Bytes(), t.Bytes())
	return c
}

// Item returns element i as a tensor of rank 0.
func (t *Tensor) Item(i int) *Tensor {
	x := New(t.DType)
	if t.DType == String {
		Data[string](x)[0] = Data[string](t)[i]
		return x
	}
	copy(x.Bytes(), t.Bytes()[i*t.DType.Size():])
	return x
}

// SetItem sets element i to that of x, which has one element of the same type.
func (t *Tensor) SetItem(i int, x *Tensor) {
	if t.DType == String {
		Data[string](t)[i] = Data[string](x)[0]
		return
	}
	copy(t.Bytes()[i*t.DType.Size():], x.Bytes())
}

// Bytes is the memory of t's elements, [DType.Size] bytes each, not a copy.
// It is nil for [String].
//
// NB: bytes are in the machine's order, little-endian wherever assembly
// kernels run; a bool's byte must stay 0 or 1.
func (t *Tensor) Bytes() []byte { return storages[t.DType].bytes(t.Data) }

// String returns t's type and shape, without its elements: "float32[2,3]".
func (t *Tensor) String() string { return TypeText(t.DType, t.Shape) }

// Equal reports whether a and b agree in dtype, shape and every bit.
func Equal(a, b *Tensor) bool {
	if a.DType != b.DType || !slices.Equal(a.Shape, b.Shape) {
		return false
	}
	if a.DType == String {
		return slices.Equal(Data[string](a), Data[string](b))
	}
	return bytes.Equal(a.Bytes(), b.Bytes())
}
