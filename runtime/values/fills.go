package values

import (
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Open stands for an axis whose size a type leaves open, in the functions that
// check values of it.
const Open = -1

// MaxEmpty is how long an axis of varying size may be in a tensor without
// elements. There the data bound nothing, and the model may have other values
// along the same axis.
const MaxEmpty = 1 << 16

// TakeDense makes x the tensor that a fill brings: a copy in x's memory, but of a
// [tensor.Large] one that is in memory the same bytes. The sizes that its type
// leaves open travel in the fill.
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

// inMemory is the elements that a fill brings, where they are a large value in
// memory already, which nobody will write to.
func inMemory[T tensor.Element](fill *wire.SlotFill) ([]T, bool) {
	if fill.Blob == nil || !tensor.AreLarge(len(fill.Payload)) { // else it is borrowed, or in a file
		return nil, false
	}
	return tensor.ElementsIn[T](fill.Payload)
}

// shapeOf makes shape, which has as many places as dims, that of the tensor that
// a fill brings.
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

// sizeOf makes shape what dims and the fill say, and returns how many elements that
// are.
func sizeOf(shape []int, fill *wire.SlotFill, dims []int) (int, error) {
	open, limit := 0, fill.Len() // no axis is longer, but for one of a tensor without elements
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

// read makes x the elements of a payload.
func read[T tensor.Element](x []T, fill *wire.SlotFill) error {
	if fill.Blob == nil || fill.Payload != nil {
		tensor.SetRaw(x, fill.Payload)
		return nil
	}
	return tensor.ReadRaw(x, func(b []byte) error { return ReadBlob(b, fill.Blob) })
}

// TakeScalar makes x the number that a fill brings.
func TakeScalar[T tensor.Element](x *T, fill *wire.SlotFill) error {
	if len(fill.Payload) != elementSize[T]() {
		return fmt.Errorf("got %d bytes, want %d", len(fill.Payload), elementSize[T]())
	}
	tensor.SetRaw(tensor.One(x), fill.Payload)
	return nil
}

// TakePeers makes list the peers that a fill brings.
func TakePeers(list *[]wire.PeerID, fill *wire.SlotFill) error {
	b, err := Payload(fill)
	if err != nil {
		return err
	}
	r := NewFields(b)
	r.Peers(list)
	return r.End()
}

// TakePeer makes p the peer that a fill brings.
func TakePeer(p *wire.PeerID, fill *wire.SlotFill) error {
	r := NewFields(fill.Payload)
	r.Peer(p)
	return r.End()
}

// TakeText makes s the text that a fill brings.
func TakeText(s *string, fill *wire.SlotFill) error {
	b, err := Payload(fill)
	*s = string(b)
	return err
}

// Number is a variable of a constant's value, for code that takes its address.
func Number[T tensor.Element](x T) *T { return &x }

// PeerNames is peers as the host is told them.
func PeerNames(list ...wire.PeerID) tensor.Value {
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.String()
	}
	return tensor.Of(names, len(names))
}

// SetDense makes x a value from the host, or from the round before: a copy of a
// small one, the same memory as a [tensor.Large] one.
func SetDense[T tensor.Element](x *tensor.Dense[T], v tensor.Value, dims ...int) error {
	t, ok := v.(*tensor.Tensor)
	if !ok {
		return fmt.Errorf("got %s, want a tensor", describe(v))
	}
	if t.DType != tensor.DTypeOf[T]() || len(t.Shape) != len(dims) || CheckShape("", t.Shape, dims...) != nil {
		return fmt.Errorf("got %s, want %s", TypeText(t.DType, t.Shape), tensor.DTypeOf[T]().String()+shapeText(dims))
	}
	if v := tensor.Lent[T](t); v.IsLarge() {
		x.Share(v)
	} else {
		x.Set(v)
	}
	return nil
}

// Kept is a tensor of a frame for the host, which may keep it: a copy of a small
// one, the same memory as a [tensor.Large] one.
func Kept[T tensor.Element](x tensor.Dense[T]) tensor.Value {
	if x.IsLarge() {
		return x.Tensor()
	}
	return x.Clone().Tensor()
}

// Drop forgets a tensor that nobody reads any more, and returns how many bytes of a
// [tensor.Large] one that were; 0 if others have a share in them. Another one it leaves
// as it is.
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

// SetScalar makes x a number from the host.
func SetScalar[T tensor.Element](x *T, v tensor.Value) error {
	var one []T
	if err := Assign(&one, v); err != nil {
		return err
	}
	*x = one[0]
	return nil
}

// CheckShape says what is wrong with the shape of a value.
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

// shapeText writes sizes with a question mark for each that is open.
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
