package conversation

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Queue is what waits to be written on a stream. The loop appends to it while
// a goroutine writes what was there before.
type Queue struct {
	mu     sync.Mutex
	out    outgoing
	spare  outgoing
	closed bool
	wake   chan struct{}
	paused atomic.Bool // who sends was told that this is full

	pause  time.Duration // between bare acknowledgements
	ack    wire.Envelope // the one that waits for that to be over; zero: none
	ackAt  time.Time     // when the last one was queued
	ackDue bool          // a timer runs that queues the next one
}

// outgoing is messages in a row. Large payloads stand in gaps, where the node has them.
type outgoing struct {
	buf  []byte
	gaps []wire.Gap
	size int // of all
}

const (
	HighWater = 4 << 20 // bytes that may wait before who sends should pause
	keepQueue = 1 << 20 // the largest buffer that is kept for the next messages

	ackPause = time.Millisecond // between acknowledgements that nothing else takes along
)

// NewQueue is a queue that nothing waits in.
func NewQueue() *Queue { return &Queue{wake: make(chan struct{}, 1), pause: ackPause} }

// Append lets f append to what waits.
func (q *Queue) Append(f func(b []byte) []byte) {
	q.mu.Lock()
	before := len(q.out.buf)
	q.out.buf = f(q.out.buf)
	q.out.size += len(q.out.buf) - before
	q.mu.Unlock()
	q.signal()
}

// Send appends an envelope, and returns how much waits. A bare acknowledgement may wait for
// company: see [Queue.acknowledge].
func (q *Queue) Send(e *wire.Envelope) (waits int) {
	q.mu.Lock()
	if e.Seq == 0 {
		q.acknowledge(e.Ack)
	} else {
		q.queue(e)
	}
	n, wakes := q.out.size, q.out.size > 0
	q.mu.Unlock()
	if wakes {
		q.signal()
	}
	return n
}

// queue appends an envelope, which takes the acknowledgement along that waits if it says as
// much. The queue is locked.
func (q *Queue) queue(e *wire.Envelope) {
	o := &q.out
	before, size := len(o.buf), e.Size()
	o.buf = wire.AppendLength(o.buf, size)
	o.size += len(o.buf) - before + size
	o.buf, o.gaps = wire.AppendAround(o.buf, o.gaps, e, runtime.Final)
	if e.Ack >= q.ack.Ack {
		q.ack.Ack = 0
	}
}

// acknowledge queues a bare acknowledgement, at once if none went out for a pause, else when
// the pause is over. A later one stands for those before: who sends much that needs no other
// answer does not have one written for each. The queue is locked.
func (q *Queue) acknowledge(ack uint64) {
	q.ack.Ack = max(q.ack.Ack, ack)
	switch left := q.pause - time.Since(q.ackAt); {
	case left <= 0:
		q.queueAck()
	case !q.ackDue:
		q.ackDue = true
		time.AfterFunc(left, func() {
			q.mu.Lock()
			q.ackDue = false
			q.queueAck()
			q.mu.Unlock()
			q.signal()
		})
	}
}

// queueAck appends the acknowledgement that waits, if there is one. The queue is locked.
func (q *Queue) queueAck() {
	if q.ack.Ack > 0 {
		q.ackAt = time.Now()
		q.queue(&q.ack)
	}
}

func (q *Queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// Pausing notes that who sends is told to pause, and reports whether it was not told before.
func (q *Queue) Pausing() bool { return !q.paused.Swap(true) }

// Resuming notes that who sends is told to go on, and reports whether it was told to pause.
func (q *Queue) Resuming() bool { return q.paused.Swap(false) }

// Close lets the writer end when it has written all.
func (q *Queue) Close() {
	q.mu.Lock()
	q.queueAck()
	q.closed = true
	q.mu.Unlock()
	q.signal()
}

// take waits for something to write. It returns nothing after close.
func (q *Queue) take() outgoing {
	for {
		q.mu.Lock()
		o, closed := q.out, q.closed
		if o.size > 0 {
			q.out, q.spare = q.spare, outgoing{}
		}
		q.mu.Unlock()
		if o.size > 0 || closed {
			return o
		}
		<-q.wake
	}
}

// give returns the memory of what take returned.
func (q *Queue) give(o outgoing) {
	for _, g := range o.gaps {
		if g.Blob != nil {
			g.Blob.Release()
		}
	}
	clear(o.gaps)
	if cap(o.buf) <= keepQueue {
		q.mu.Lock()
		q.spare = outgoing{buf: o.buf[:0], gaps: o.gaps[:0]}
		q.mu.Unlock()
	}
}

// Write writes what is queued on a stream until close or an error. It says after each write
// how many bytes it was.
func (q *Queue) Write(s Drain, stall time.Duration, written func(n int)) error {
	r := records{to: s, stall: stall}
	for {
		o := q.take()
		if o.size == 0 {
			return nil
		}
		if err := o.write(&r); err != nil {
			return err
		}
		written(o.size)
		q.give(o)
	}
}

func (o *outgoing) write(r *records) error {
	if len(o.gaps) == 0 {
		return WriteAll(r.to, o.buf, r.stall)
	}
	at := 0
	for _, g := range o.gaps {
		if err := r.add(o.buf[at:g.At]); err != nil {
			return err
		}
		if err := r.add(g.Data); err != nil {
			return err
		}
		at = g.At
	}
	if err := r.add(o.buf[at:]); err != nil {
		return err
	}
	return r.flush()
}
