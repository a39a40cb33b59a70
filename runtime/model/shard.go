package model

import "github.com/bbgen/bbgen/runtime/tensor"

// A Shard is a range of elements of a weight of which a session keeps the optimizer's state. In the memory of that state
// the shards of a weight are one after the other.
type Shard struct {
	From, To int
	At       int // the index of the first one in the memory of the state, which the session sets
}

// Len returns the number of elements.
func (s Shard) Len() int { return s.To - s.From }

// End returns the index after the last element in the memory of the state.
func (s Shard) End() int { return s.At + s.Len() }

// Shards returns shards with their places in the memory of the state. They ascend and do not overlap.
func Shards(list []Shard) []Shard {
	at, last := 0, 0
	out := make([]Shard, len(list))
	for i, s := range list {
		if s.From < last || s.To < s.From {
			panic("BUG: the kept elements of a weight do not ascend")
		}
		out[i] = Shard{s.From, s.To, at}
		at, last = out[i].End(), s.To
	}
	return out
}

// OptimizerState returns the elements of the optimizer's state in the shards now. Those that were kept in the shards was
// have the values of old, others their initial ones, or zero if initial is nil.
func OptimizerState[T tensor.Element](old []T, was, now []Shard, initial []byte) []T {
	if len(now) == 0 {
		return nil
	}
	size := tensor.DTypeOf[T]().Size()
	n := now[len(now)-1].End()
	b := tensor.Aligned(n * size)
	list := tensor.View[T](b, 0, n)
	for _, s := range now {
		if initial != nil {
			copy(b[s.At*size:s.End()*size], initial[s.From*size:])
		}
		for _, p := range was {
			if from, to := max(s.From, p.From), min(s.To, p.To); from < to {
				copy(list[s.At+from-s.From:s.At+to-s.From], old[p.At+from-p.From:])
			}
		}
	}
	return list
}

// IfKept returns the tensor of the optimizer's state: of a shape if all elements are kept, otherwise a vector, or nil if
// none is.
func IfKept[T tensor.Element](data []T, shape ...int) *tensor.Tensor {
	if data == nil {
		return nil
	}
	whole := 1
	for _, n := range shape {
		whole *= n
	}
	if len(data) != whole {
		return tensor.Of(data, len(data))
	}
	return tensor.Of(data, shape...)
}
