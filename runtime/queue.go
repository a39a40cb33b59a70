package runtime

import (
	"encoding/binary"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/values"
)

// A Queue passes values from one execution to another, in their order. It holds at most [Limits.Queue] values.
type Queue struct {
	Name    string
	items   container.Fifo[[]byte]
	waiting container.Fifo[waiter] // Invariant: empty unless items is
	buf     []byte
}

// waiter is a cut point that waits for a value of a queue.
type waiter struct {
	frameRef
	cut int
}

func (q *Queue) name() string { return q.Name }

// Len returns the number of waiting values.
func (q *Queue) Len() int { return q.items.Len() }

// Buffer returns memory to which the value for Enqueue is appended.
func (q *Queue) Buffer() []byte { return q.buf[:0] }

// Enqueue passes a value to the waiter that has waited longest, or appends it to the queue. If the queue is
// full, the value is dropped and an overflow is reported.
func (q *Queue) Enqueue(e *Engine, value []byte) {
	n := e.node()
	q.buf = value
	for q.waiting.Len() > 0 {
		if w := q.waiting.Pop(); !w.ended() {
			n.setEvent(w.frame, w.cut, value)
			return
		}
	}
	if q.items.Len() >= n.limits.Queue {
		n.overflow("queue " + q.Name)
		return
	}
	q.items.Push(append([]byte(nil), value...))
}

// Dequeue sets an EventCut to the first value, now or as soon as there is one.
func (q *Queue) Dequeue(e *Engine, f *Frame, cut int) {
	n := e.node()
	if q.items.Len() > 0 {
		n.setEvent(f, cut, q.items.Pop())
		return
	}
	if q.waiting.Len() >= n.limits.Queue {
		q.sweep()
	}
	if q.waiting.Len() >= n.limits.Queue {
		n.overflow("queue " + q.Name)
		n.lose(f, cut, ErrOverflow)
		return
	}
	q.waiting.Push(waiter{f.ref(), cut})
}

// sweep removes waiters of ended frames.
func (q *Queue) sweep() {
	for range q.waiting.Len() {
		if w := q.waiting.Pop(); !w.ended() {
			q.waiting.Push(w)
		}
	}
}

// setEvent sets an EventCut.
func (n *Node) setEvent(f *Frame, cut int, value []byte) {
	r := values.NewFields(value)
	if err := f.body.Event(cut, r); err != nil {
		n.lose(f, cut, err)
		return
	}
	n.arrive(f, cut)
}

// AppendBinary appends the values; the waiters are written by the snapshot.
func (q *Queue) AppendBinary(b []byte) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(q.items.Len()))
	for i := range q.items.Len() {
		b = values.AppendText(b, string(*q.items.At(i)))
	}
	return b, nil
}

// UnmarshalBinary reads the values.
func (q *Queue) UnmarshalBinary(b []byte) error {
	*q = Queue{Name: q.Name}
	r := values.NewFields(b)
	for range r.Count(1) {
		if p := r.Bytes(r.Count(1)); r.Err() == nil {
			q.items.Push(append([]byte(nil), p...))
		}
	}
	return r.End()
}
