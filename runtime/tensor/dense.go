package tensor

import "slices"

// Dense is a tensor whose element type the compiler knows: what frames of
// generated code hold and roles exchange. Data is row-major.
type Dense[T Element] struct {
	Data  []T
	Shape []int
}

// DenseOf returns the tensor of the given elements and shape; it keeps both.
func DenseOf[T Element](data []T, shape ...int) Dense[T] { return Dense[T]{data, shape} }

// Len returns how many elements there are.
func (d Dense[T]) Len() int { return len(d.Data) }

// Resize gives d a shape. Elements that were there may be anything; memory is
// allocated only where there was too little.
func (d *Dense[T]) Resize(shape ...int) {
	n := 1
	for _, s := range shape {
		n *= s
	}
	d.Shape = append(d.Shape[:0], shape...)
	d.Data = Grow(d.Data, n)
}

// Set makes d a copy of x, in d's memory where it suffices and is not [Large].
func (d *Dense[T]) Set(x Dense[T]) {
	d.Reset()
	d.Resize(x.Shape...)
	copy(d.Data, x.Data)
}

// Tensor returns a tensor that shares d's memory.
func (d Dense[T]) Tensor() *Tensor { return Of(d.Data, d.Shape...) }

// Share makes d the tensor x, in x's memory: x is [Large], or nobody else has it.
func (d *Dense[T]) Share(x Dense[T]) { d.Data, d.Shape = x.Data, append(d.Shape[:0], x.Shape...) }

// Reset makes d empty. It keeps its memory, but that of a [Large] value.
func (d *Dense[T]) Reset() {
	if d.Shape = d.Shape[:0]; isLarge(d.Data[:cap(d.Data)]) {
		d.Data = nil
	}
	d.Data = d.Data[:0]
}

// Clone returns a copy of d.
func (d Dense[T]) Clone() Dense[T] { return Dense[T]{slices.Clone(d.Data), slices.Clone(d.Shape)} }
