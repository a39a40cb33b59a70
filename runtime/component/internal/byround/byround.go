// Package byround keeps apart what a component gathers in executions that overlap. It is the bookkeeping of a
// [runtime.Gatherer]: to which execution a call belongs, what has been gathered in it, what is dropped when it ends, and
// what of it is in a snapshot.
//
//	type Sum struct{ sums byround.Values[tensor.Dense[int32]] }
//
//	func (s *Sum) Enter(r runtime.Round) { s.sums.Enter(r) }
//	func (s *Sum) Leave(r runtime.Round) { s.sums.Leave(r) }
package byround

import (
	"iter"
	"slices"

	"github.com/bbgen/bbgen/runtime"
)

// Values holds values that each belong to one execution. The zero value is empty and belongs to the zero execution.
// Its methods are called like those of a Gatherer, by one goroutine at a time.
//
// Most components have one value in an execution: they call [Values.First] or [Values.Begin], and at its end [Values.Take].
// Those with several, such as a sum for each shape, look at [Values.All] and call [Values.Add].
//
// A component should have it in a field that is not embedded: programs may call all exported methods of a component.
type Values[T any] struct {
	in   runtime.Round
	list []item[T] // in the order in which they were added
}

// item is a value of an execution.
type item[T any] struct {
	of    runtime.Round
	value *T
}

// Enter sets the execution to which the following calls belong.
func (v *Values[T]) Enter(r runtime.Round) { v.in = r }

// Leave removes the values of an execution, which need not be the calling one. It returns them, so that the caller can
// release what they hold.
func (v *Values[T]) Leave(r runtime.Round) (left []*T) {
	v.list = slices.DeleteFunc(v.list, func(x item[T]) bool {
		if x.of == r {
			left = append(left, x.value)
		}
		return x.of == r
	})
	return left
}

// Take removes the values of the calling execution and returns them. An aggregate ends what was gathered for it; a loop
// may gather again in the same execution.
func (v *Values[T]) Take() []*T { return v.Leave(v.in) }

// Round returns the calling execution.
func (v *Values[T]) Round() runtime.Round { return v.in }

// Len returns the number of values in all executions.
func (v *Values[T]) Len() int { return len(v.list) }

// Each yields the values of all executions, in the order in which they were added.
func (v *Values[T]) Each() iter.Seq2[runtime.Round, *T] {
	return func(yield func(runtime.Round, *T) bool) {
		for _, x := range v.list {
			if !yield(x.of, x.value) {
				return
			}
		}
	}
}

// All yields the values of the calling execution, in the order in which they were added.
func (v *Values[T]) All() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for r, x := range v.Each() {
			if r == v.in && !yield(x) {
				return
			}
		}
	}
}

// First returns the first value of the calling execution, or nil.
func (v *Values[T]) First() *T {
	for x := range v.All() {
		return x
	}
	return nil
}

// Begin returns the first value of the calling execution. If it has none, Begin adds a zero one.
func (v *Values[T]) Begin() *T {
	if x := v.First(); x != nil {
		return x
	}
	return v.Add(new(T))
}

// Add adds a value to the calling execution, and returns it.
func (v *Values[T]) Add(x *T) *T {
	v.list = append(v.list, item[T]{v.in, x})
	return x
}
