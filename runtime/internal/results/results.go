// Package results holds events that report the outcome of executions, and wait for a snapshot. A result waits,
// like an envelope, for the snapshot that holds its cause, so that the host gets no contradicting result after a
// restart.
package results

import "github.com/bbgen/bbgen/runtime/internal/container"

// Queue holds results of type T in their order.
type Queue[T any] struct {
	waiting container.Fifo[result[T]] // Invariant: epochs do not decrease
}

// result is an event that waits for a snapshot.
type result[T any] struct {
	event T
	epoch uint64 // the first snapshot that holds its cause
}

// Keep makes an event wait, and reports whether one was lost: with limit results, the event itself if another
// peer began its execution, otherwise the oldest result. So no peer displaces results of this one.
func (q *Queue[T]) Keep(e T, own bool, epoch uint64, limit int) (lost bool) {
	if lost = q.waiting.Len() >= limit; lost {
		if !own || q.waiting.Len() == 0 {
			return true
		}
		q.waiting.Drop()
	}
	q.waiting.Push(result[T]{e, epoch})
	return lost
}

// Next removes and returns the oldest result, if the snapshot that it waits for is durable.
func (q *Queue[T]) Next(isDurable func(epoch uint64) bool) (e T, ok bool) {
	if q.waiting.Len() == 0 || !isDurable(q.waiting.At(0).epoch) {
		return e, false
	}
	return q.waiting.Pop().event, true
}

// Len returns how many results wait.
func (q *Queue[T]) Len() int { return q.waiting.Len() }

// At returns the i-th result, the oldest first.
func (q *Queue[T]) At(i int) *T { return &q.waiting.At(i).event }
