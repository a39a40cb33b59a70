package tensor

import (
	"slices"
	"unsafe"
)

// Dense is a tensor whose element type the compiler knows: what frames of
// generated code hold and roles exchange. Data is row-major.
//
// A copy of a Dense reads the same elements, and has no share of its own in the
// memory they stand in: it is borrowed from whoever has one.
type Dense[T Element] struct {
	Data  []T
	Shape []int

	memory *Memory   // where Data is, if it is counted
	holder *Dense[T] // who has a share in that: another one if this is a copy
}

// DenseOf returns the tensor of the given elements and shape; it keeps both.
func DenseOf[T Element](data []T, shape ...int) Dense[T] { return Dense[T]{Data: data, Shape: shape} }

// DenseIn is [DenseOf] of elements that stand in counted memory. It borrows them.
func DenseIn[T Element](m *Memory, data []T, shape ...int) Dense[T] {
	return Dense[T]{Data: data, Shape: shape, memory: m}
}

// NewDense is a tensor in counted memory of its own, with one share in it, which may
// hold anything. Who makes a [Large] value that others are to share writes it there,
// and gives his share back before he makes the next: a frame or a message that still
// needs the elements has one, too, and others have theirs copied.
func NewDense[T Element](shape ...int) Dense[T] {
	n := product(shape)
	var x T
	m := NewMemory(n * int(unsafe.Sizeof(x)))
	return DenseIn(m, View[T](m.Bytes(), 0, n), shape...)
}

// Len returns how many elements there are.
func (d Dense[T]) Len() int { return len(d.Data) }

// Resize gives d a shape. Elements that were there may be anything; memory is
// allocated only where there was too little.
func (d *Dense[T]) Resize(shape ...int) {
	if d.memory != nil { // others read it
		d.Reset()
	}
	d.Shape = append(d.Shape[:0], shape...)
	d.Data = Grow(d.Data, product(shape))
}

// Make gives d a shape, as Resize does. A [Large] value stands in counted memory, in
// which d has the one share: others who have one are not written over by the next.
func (d *Dense[T]) Make(shape ...int) {
	var x T
	n := product(shape)
	if _, text := any(x).(string); text || !AreLarge(n*int(unsafe.Sizeof(x))) {
		d.Resize(shape...)
		return
	}
	d.Reset()
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

// Set makes d a copy of x, in d's memory where it suffices and is not [Large].
func (d *Dense[T]) Set(x Dense[T]) {
	d.Reset()
	d.Resize(x.Shape...)
	copy(d.Data, x.Data)
}

// Tensor returns a tensor that shares d's memory, which is not used again then.
func (d Dense[T]) Tensor() *Tensor {
	d.memory.Retain() // nobody knows until when
	return Of(d.Data, d.Shape...)
}

// Lend returns a tensor that borrows d's memory.
func (d Dense[T]) Lend() *Tensor {
	t := Of(d.Data, d.Shape...)
	t.memory = d.memory
	return t
}

// Lent is the elements of t, which T fits, in the memory that t has.
func Lent[T Element](t *Tensor) Dense[T] { return DenseIn(t.memory, Data[T](t), t.Shape...) }

// Memory is what counts who shares d's elements, nil if nobody does.
func (d Dense[T]) Memory() *Memory { return d.memory }

// Share makes d the tensor x, in x's memory: x is [Large], or nobody else has it.
func (d *Dense[T]) Share(x Dense[T]) {
	x.memory.Retain()
	d.Reset()
	d.Data, d.Shape = x.Data, append(d.Shape[:0], x.Shape...)
	d.memory, d.holder = x.memory, d
}

// Reset makes d empty. It keeps its memory, but that of a [Large] value.
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
