package values

import (
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Open stands for an axis with an open size, in the functions that check values.
const Open = -1

// MaxEmpty is the maximum size of an axis of varying size in a tensor without elements. Such a size is not
// bounded by data, and the model may have other values along the same axis.
const MaxEmpty = 1 << 16

// TakeDense sets x to the tensor of a fill: a copy in x's memory, or for a [tensor.Large] value in memory the
// same bytes. The fill holds the open sizes of the type.
func TakeDense[T tensor.Element](x *tensor.Dense[T], fill *wire.SlotFill, dims ...int) error {
	var sizes [tensor.MaxRank]int
	shape, err := shapeOf[T](sizes[:len(dims)], fill, dims)
	if err != nil {
		return err
	}
	if data, ok := inMemory[T](fill); ok {
		x.Share(tensor.DenseIn(fill.Blob.Memory(), data, shape...))
		return nil
	}
	x.Make(shape...)
	return read(x.Data, fill)
}

// inMemory returns the elements of a fill if they already are a large value in memory, which does not change
// any more.
func inMemory[T tensor.Element](fill *wire.SlotFill) ([]T, bool) {
	if fill.Blob == nil || !tensor.AreLarge(len(fill.Payload)) { // otherwise it is borrowed, or in a file
		return nil, false
	}
	return tensor.ElementsIn[T](fill.Payload)
}

// shapeOf sets shape, which has the length of dims, to that of the tensor of a fill.
func shapeOf[T tensor.Element](shape []int, fill *wire.SlotFill, dims []int) ([]int, error) {
	limit := fill.Len()
	n, err := sizeOf(shape, fill, dims)
	if err != nil {
		return nil, err
	}
	if limit != uint64(n*elementSize[T]()) {
		return nil, fmt.Errorf("got %d bytes, want %v elements of %d", limit, shape, elementSize[T]())
	}
	return shape, nil
}

// sizeOf sets shape according to dims and the fill, and returns the number of elements.
func sizeOf(shape []int, fill *wire.SlotFill, dims []int) (int, error) {
	open, limit := 0, fill.Len() // no axis is longer, except in a tensor without elements
	for i, d := range dims {
		shape[i] = d
		if d != Open {
			continue
		}
		if open == len(fill.Dims) || fill.Dims[open] > min(max(limit, MaxEmpty), math.MaxInt) {
			return 0, fmt.Errorf("sizes %v do not fit %d bytes", fill.Dims, limit)
		}
		shape[i] = int(fill.Dims[open])
		open++
	}
	return tensor.NumElements(shape)
}

// read sets x to the elements of a payload.
func read[T tensor.Element](x []T, fill *wire.SlotFill) error {
	if fill.Blob == nil || fill.Payload != nil {
		tensor.SetRaw(x, fill.Payload)
		return nil
	}
	return tensor.ReadRaw(x, func(b []byte) error { return ReadBlob(b, fill.Blob) })
}

// TakeScalar sets x to the number of a fill.
func TakeScalar[T tensor.Element](x *T, fill *wire.SlotFill) error {
	if len(fill.Payload) != elementSize[T]() {
		return fmt.Errorf("got %d bytes, want %d", len(fill.Payload), elementSize[T]())
	}
	tensor.SetRaw(tensor.One(x), fill.Payload)
	return nil
}

// TakePeers sets list to the peers of a fill.
func TakePeers(list *[]wire.PeerID, fill *wire.SlotFill) error {
	b, err := Payload(fill)
	if err != nil {
		return err
	}
	r := NewFields(b)
	r.Peers(list)
	return r.End()
}

// TakePeer sets p to the peer of a fill.
func TakePeer(p *wire.PeerID, fill *wire.SlotFill) error {
	r := NewFields(fill.Payload)
	r.Peer(p)
	return r.End()
}

// TakeText sets s to the text of a fill.
func TakeText(s *string, fill *wire.SlotFill) error {
	b, err := Payload(fill)
	*s = string(b)
	return err
}

// Number returns a pointer to a variable with the value x, for code that takes the address of a constant.
func Number[T tensor.Element](x T) *T { return &x }

// PeerNames returns peers in the form that the host gets.
func PeerNames(list ...wire.PeerID) tensor.Value {
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.String()
	}
	return tensor.Of(names, len(names))
}

// SetDense sets x to a value from the host, or from the previous round: a copy of a small value, the same
// memory as a [tensor.Large] one.
func SetDense[T tensor.Element](x *tensor.Dense[T], v tensor.Value, dims ...int) error {
	t, ok := v.(*tensor.Tensor)
	if !ok {
		return fmt.Errorf("got %s, want a tensor", describe(v))
	}
	if t.DType != tensor.DTypeOf[T]() || len(t.Shape) != len(dims) || CheckShape("", t.Shape, dims...) != nil {
		return fmt.Errorf("got %s, want %s", tensor.TypeText(t.DType, t.Shape), tensor.DTypeOf[T]().String()+shapeText(dims))
	}
	if v := tensor.Lent[T](t); v.IsLarge() {
		x.Share(v)
	} else {
		x.Set(v)
	}
	return nil
}

// Kept returns a tensor of a frame for the host, which may keep it: a copy of a small tensor, the same memory
// as a [tensor.Large] one.
func Kept[T tensor.Element](x tensor.Dense[T]) tensor.Value {
	if x.IsLarge() {
		return x.Tensor()
	}
	return x.Clone().Tensor()
}

// Drop releases a [tensor.Large] value that is not read any more, and returns its size in bytes, or 0 if it
// has other readers. Other values it leaves unchanged.
func Drop[T tensor.Element](x *tensor.Dense[T]) (size int) {
	if !x.IsLarge() {
		return 0
	}
	if !x.Memory().IsShared() {
		size = len(x.Data) * elementSize[T]()
	}
	x.Reset()
	return size
}

// SetScalar sets x to a number from the host.
func SetScalar[T tensor.Element](x *T, v tensor.Value) error {
	var one []T
	if err := Assign(&one, v); err != nil {
		return err
	}
	*x = one[0]
	return nil
}

// CheckShape returns an error if the shape of a value is wrong.
func CheckShape(name string, shape []int, dims ...int) error {
	ok := len(shape) == len(dims)
	for i := 0; ok && i < len(dims); i++ {
		ok = dims[i] == Open || dims[i] == shape[i]
	}
	if ok {
		return nil
	}
	return fmt.Errorf("%s has shape %v, want %s", name, shape, shapeText(dims))
}

// shapeText returns sizes as text, with a question mark for each open size.
func shapeText(dims []int) string {
	b := []byte{'['}
	for i, d := range dims {
		if i > 0 {
			b = append(b, ',')
		}
		if d == Open {
			b = append(b, '?')
		} else {
			b = fmt.Append(b, d)
		}
	}
	return string(append(b, ']'))
}
