package container

// Fifo is a queue that grows as it is used.
type Fifo[T any] struct {
	items []T
	head  int
	n     int
}

// Len returns the length of the queue.
func (q *Fifo[T]) Len() int { return q.n }

// Push appends an element.
func (q *Fifo[T]) Push(x T) { *q.Add() = x }

// Add appends a zero element and returns a pointer to it, so that a large element can be written in place.
func (q *Fifo[T]) Add() *T {
	if q.n == len(q.items) {
		q.grow()
	}
	q.n++
	return q.At(q.n - 1)
}

func (q *Fifo[T]) grow() {
	grown := make([]T, max(8, 2*len(q.items)))
	for i := range q.n {
		grown[i] = *q.At(i)
	}
	q.items, q.head = grown, 0
}

// Pop removes and returns the first element.
func (q *Fifo[T]) Pop() T {
	x := q.items[q.head]
	q.Drop()
	return x
}

// Drop removes the first element.
func (q *Fifo[T]) Drop() {
	var zero T
	q.items[q.head] = zero
	q.head = (q.head + 1) & (len(q.items) - 1)
	q.n--
}

// At returns a pointer to the i-th element. Invariant: len(items) is a power of two.
func (q *Fifo[T]) At(i int) *T { return &q.items[(q.head+i)&(len(q.items)-1)] }
