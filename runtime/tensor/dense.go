package tensor

import (
	"slices"
	"unsafe"
)

// Dense is a tensor with an element type that is known at compile time, as used by frames of generated code and
// by roles. Data is row-major.
//
// A copy of a Dense has the same elements, but holds no reference to their memory: it borrows the memory from
// the original. The documentation of the package has the states of a Dense and what changes them.
type Dense[T Element] struct {
	Data  []T
	Shape []int

	memory *Memory   // the memory of Data, if it has a reference count
	holder *Dense[T] // the Dense that holds the reference to memory: not this one if it is a copy
}

// DenseOf returns the tensor of the given elements and shape; it keeps both.
func DenseOf[T Element](data []T, shape ...int) Dense[T] { return Dense[T]{Data: data, Shape: shape} }

// DenseIn is [DenseOf] for elements in memory with a reference count. It borrows them.
func DenseIn[T Element](m *Memory, data []T, shape ...int) Dense[T] {
	return Dense[T]{Data: data, Shape: shape, memory: m}
}

// NewDense returns a tensor with arbitrary contents in memory of its own, with one reference. To make a [Large]
// value that others are to share, write it to such a tensor, and release the reference before you make the next
// value: frames and messages that still need the elements hold references, too, and all others have copied
// them.
func NewDense[T Element](shape ...int) Dense[T] {
	n := product(shape)
	var x T
	m := NewMemory(n * int(unsafe.Sizeof(x)))
	return DenseIn(m, View[T](m.Bytes(), 0, n), shape...)
}

// Len returns the number of elements.
func (d Dense[T]) Len() int { return len(d.Data) }

// Resize sets the shape of d. The elements are arbitrary; memory is allocated only if there is too little.
func (d *Dense[T]) Resize(shape ...int) {
	if d.memory != nil { // it may be shared
		d.Reset()
	}
	d.Shape = append(d.Shape[:0], shape...)
	d.Data = Grow(d.Data, product(shape))
}

// Make sets the shape of d, as Resize does. The memory of a [Large] value has a reference count, and d holds
// the only reference: values that others share are not overwritten.
func (d *Dense[T]) Make(shape ...int) {
	var x T
	n := product(shape)
	d.Reset() // its elements may be shared
	if _, text := any(x).(string); text || !AreLarge(n*int(unsafe.Sizeof(x))) {
		d.Resize(shape...)
		return
	}
	m := NewMemory(n * int(unsafe.Sizeof(x)))
	d.Data, d.Shape = View[T](m.Bytes(), 0, n), append(d.Shape, shape...)
	d.memory, d.holder = m, d
}

func product(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

// Set sets d to x: in x's memory if x is [Large] and its memory has a reference count, otherwise to a copy in d's
// memory if that is sufficient.
func (d *Dense[T]) Set(x Dense[T]) {
	if x.memory != nil && x.IsLarge() {
		d.Share(x)
		return
	}
	d.Reset()
	d.Resize(x.Shape...)
	copy(d.Data, x.Data)
}

// Tensor returns a tensor that shares d's memory, which is never reused after that.
func (d Dense[T]) Tensor() *Tensor {
	d.memory.Retain() // the duration of its use is unknown
	return Of(d.Data, d.Shape...)
}

// Lend returns a tensor that borrows d's memory.
func (d Dense[T]) Lend() *Tensor {
	t := Of(d.Data, d.Shape...)
	t.memory = d.memory
	return t
}

// Lent returns the elements of t, whose type must be T, in t's memory.
func Lent[T Element](t *Tensor) Dense[T] { return DenseIn(t.memory, Data[T](t), t.Shape...) }

// IsLent reports whether t borrows memory with a reference count.
func (t *Tensor) IsLent() bool { return t.memory != nil }

// Memory returns the memory of d's elements if it has a reference count, otherwise nil.
func (d Dense[T]) Memory() *Memory { return d.memory }

// Share sets d to the tensor x, in x's memory: x is [Large], or has no other user.
func (d *Dense[T]) Share(x Dense[T]) {
	x.memory.Retain()
	d.Reset()
	d.Data, d.Shape = x.Data, append(d.Shape[:0], x.Shape...)
	d.memory, d.holder = x.memory, d
}

// Reset makes d empty. It keeps d's memory unless the value is [Large].
func (d *Dense[T]) Reset() {
	if d.memory != nil {
		if d.holder == d {
			d.memory.Release()
		}
		d.Data, d.memory = nil, nil
	}
	d.holder = nil
	if d.Shape = d.Shape[:0]; isLarge(d.Data[:cap(d.Data)]) {
		d.Data = nil
	}
	d.Data = d.Data[:0]
}

// Clone returns a copy of d.
func (d Dense[T]) Clone() Dense[T] { return DenseOf(slices.Clone(d.Data), slices.Clone(d.Shape)...) }
