package runtime

import (
	"encoding/binary"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/values"
)

// Queue takes values from one execution to another, in their order: as many at a
// time as [Limits.Queue] says.
type Queue struct {
	Name    string
	items   container.Fifo[[]byte]
	waiting container.Fifo[waiter] // Invariant: empty unless items is
	buf     []byte
}

// waiter is a cut point that a value of a queue is for.
type waiter struct {
	frame *Frame
	gen   uint32
	cut   int
}

func (w *waiter) stale() bool { return w.frame.gen != w.gen || w.frame.ended }

func (q *Queue) name() string { return q.Name }

// Len returns how many values wait.
func (q *Queue) Len() int { return q.items.Len() }

// Buffer returns memory to append the value to that Enqueue is given.
func (q *Queue) Buffer() []byte { return q.buf[:0] }

// Enqueue gives a value to who has waited longest, or puts it at the end of the
// queue. It is dropped, and told as an overflow, if the queue is full.
func (q *Queue) Enqueue(n *Node, value []byte) {
	q.buf = value
	for q.waiting.Len() > 0 {
		if w := q.waiting.Pop(); !w.stale() {
			n.bring(w.frame, w.cut, value)
			return
		}
	}
	if q.items.Len() >= n.limits.Queue {
		n.overflow("queue " + q.Name)
		return
	}
	q.items.Push(append([]byte(nil), value...))
}

// Dequeue gives an EventCut the first value, now or as soon as there is one.
func (q *Queue) Dequeue(n *Node, f *Frame, cut int) {
	if q.items.Len() > 0 {
		n.bring(f, cut, q.items.Pop())
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
	q.waiting.Push(waiter{f, f.gen, cut})
}

// sweep forgets who waits no longer.
func (q *Queue) sweep() {
	for range q.waiting.Len() {
		if w := q.waiting.Pop(); !w.stale() {
			q.waiting.Push(w)
		}
	}
}

// bring gives an EventCut a value.
func (n *Node) bring(f *Frame, cut int, value []byte) {
	r := values.NewFields(value)
	if err := f.body.Event(cut, r); err != nil {
		n.lose(f, cut, err)
		return
	}
	n.arrive(f, cut)
}

// AppendBinary appends the values; who waits for one is the snapshot's.
func (q *Queue) AppendBinary(b []byte) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(q.items.Len()))
	for i := range q.items.Len() {
		b = values.AppendText(b, string(*q.items.At(i)))
	}
	return b, nil
}

// UnmarshalBinary sets the values.
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
