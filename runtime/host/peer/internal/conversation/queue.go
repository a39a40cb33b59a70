package conversation

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Queue holds data to be written on a stream. The loop appends to it while a goroutine writes earlier data.
type Queue struct {
	mu     sync.Mutex
	out    outgoing
	spare  outgoing
	taken  int // bytes that are being written
	closed bool
	ended  bool // the writer has ended: nobody writes what is queued
	wake   chan struct{}
	paused atomic.Bool // the producer was told that the queue is full

	pause    time.Duration // between bare acknowledgements of many messages; of few it is fewPauses times as long
	ack      wire.Envelope // the one that waits for the end of the pause; zero: none
	told     uint64        // the largest acknowledgement that is queued or written
	ackAt    time.Time     // when the last bare one was queued
	ackDue   time.Time     // when ackTimer queues the next one; zero: it is not set
	ackTimer *time.Timer   // nil: there was none yet
}

// outgoing is a sequence of encoded messages. Large payloads are not copied: gaps lists them and their
// places.
type outgoing struct {
	buf  []byte
	gaps []wire.Gap
	size int // total
}

const (
	HighWater = 4 << 20 // bytes in the queue from which on the producer should pause
	keepQueue = 1 << 20 // the largest buffer that is reused for later messages

	ackPause  = time.Millisecond // between acknowledgements that are not part of other messages
	fewPauses = 8                // pauses between those of fewer than manyAcks messages
	manyAcks  = 4
)

// NewQueue returns an empty queue.
func NewQueue() *Queue { return &Queue{wake: make(chan struct{}, 1), pause: ackPause} }

// Append lets f append to the queue.
func (q *Queue) Append(f func(b []byte) []byte) {
	q.mu.Lock()
	if !q.ended {
		before := len(q.out.buf)
		q.out.buf = f(q.out.buf)
		q.out.size += len(q.out.buf) - before
	}
	q.mu.Unlock()
	q.signal()
}

// Send appends an envelope, and returns the size of the queue. A bare acknowledgement may be delayed: see
// [Queue.acknowledge].
func (q *Queue) Send(e *wire.Envelope) (waits int) {
	q.mu.Lock()
	if isBare(e) {
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

// isBare reports whether an envelope only acknowledges others.
func isBare(e *wire.Envelope) bool { return e.Seq == 0 && e.Released == 0 && len(e.SrcAddrs) == 0 }

// queue appends an envelope. It replaces the delayed acknowledgement if it acknowledges at least as much. The
// caller holds the lock.
func (q *Queue) queue(e *wire.Envelope) {
	o := &q.out
	before, size := len(o.buf), e.Size()
	if q.ended { // the producer pauses all the same
		o.size += size
		return
	}
	o.buf = wire.AppendLength(o.buf, size)
	o.size += len(o.buf) - before + size
	o.buf, o.gaps = wire.AppendAround(o.buf, o.gaps, e, runtime.Final)
	q.told = max(q.told, e.Ack)
	if e.Ack >= q.ack.Ack {
		q.ack.Ack = 0
	}
}

// acknowledge queues a bare acknowledgement, at once if there was none during the last pause, otherwise at the
// end of the pause. A later one replaces earlier ones, so that a peer that sends many messages without other
// answers does not cause a write for each. Few messages keep no sender waiting, and what is sent next usually
// acknowledges them, too: so their pause is longer. The caller holds the lock.
func (q *Queue) acknowledge(ack uint64) {
	q.ack.Ack = max(q.ack.Ack, ack)
	pause := q.pause
	if q.ack.Ack < q.told+manyAcks {
		pause *= fewPauses
	}
	now := time.Now()
	if due := q.ackAt.Add(pause); !due.After(now) {
		q.queueAck()
	} else if q.ackDue.IsZero() || due.Before(q.ackDue) {
		q.ackDue = due
		q.setAckTimer(due.Sub(now))
	}
}

// setAckTimer queues the delayed acknowledgement after some time. The caller holds the lock.
func (q *Queue) setAckTimer(after time.Duration) {
	if q.ackTimer != nil {
		q.ackTimer.Reset(after)
		return
	}
	q.ackTimer = time.AfterFunc(after, func() {
		q.mu.Lock()
		q.ackDue = time.Time{}
		q.queueAck()
		wakes := q.out.size > 0
		q.mu.Unlock()
		if wakes {
			q.signal()
		}
	})
}

// queueAck appends the delayed acknowledgement, if there is one. The caller holds the lock.
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

// Pausing records that the producer is told to pause, and reports whether it was not told before.
func (q *Queue) Pausing() bool { return !q.paused.Swap(true) }

// Resuming records that the producer is told to continue, and reports whether it was told to pause.
func (q *Queue) Resuming() bool { return q.paused.Swap(false) }

// Close makes the writer end when it has written all data.
func (q *Queue) Close() {
	q.mu.Lock()
	q.queueAck()
	q.closed = true
	q.mu.Unlock()
	q.signal()
}

// take waits for data to write. After Close it returns nothing.
func (q *Queue) take() outgoing {
	for {
		q.mu.Lock()
		o, closed := q.out, q.closed
		if o.size > 0 {
			q.out, q.spare, q.taken = q.spare, outgoing{}, o.size
		}
		q.mu.Unlock()
		if o.size > 0 || closed {
			return o
		}
		<-q.wake
	}
}

// release releases the large payloads.
func (o *outgoing) release() {
	for _, g := range o.gaps {
		if g.Blob != nil {
			g.Blob.Release()
		}
	}
	clear(o.gaps)
}

// give returns the memory of the result of take.
func (q *Queue) give(o outgoing) {
	o.release()
	q.mu.Lock()
	q.taken = 0
	if cap(o.buf) <= keepQueue {
		q.spare = outgoing{buf: o.buf[:0], gaps: o.gaps[:0]}
	}
	q.mu.Unlock()
}

// Unwritten returns how many bytes the queue holds, and those that are being written.
func (q *Queue) Unwritten() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.out.size + q.taken
}

// Write writes queued data on a stream until Close or an error. Whenever a payload, or all that was queued, is written, it calls
// written with the number of bytes, which [Queue.Unwritten] does not count any more: so the producer goes on before the stream
// has nothing left to write. When it has ended, what is queued is dropped.
func (q *Queue) Write(s Drain, stall time.Duration, written func(n int)) error {
	defer q.end()
	r := records{to: s, stall: stall}
	for {
		o := q.take()
		if o.size == 0 {
			return nil
		}
		if err := q.write(&o, &r, written); err != nil {
			o.release()
			return err
		}
		left := q.taken
		q.give(o)
		written(left)
	}
}

// end drops what is queued.
func (q *Queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.out.release()
	q.out = outgoing{size: q.out.size}
}

// tellsFrom is how many bytes of payloads are written before a writer tells that, if it has more to write.
const tellsFrom = 64 << 10

// write writes o. It tells of payloads as soon as they are written, but not of the last.
func (q *Queue) write(o *outgoing, r *records, written func(n int)) error {
	if len(o.gaps) == 0 {
		return WriteAll(r.to, o.buf, r.stall)
	}
	at, untold := 0, 0
	for i, g := range o.gaps {
		if err := r.add(o.buf[at:g.At]); err != nil {
			return err
		}
		if err := r.add(g.Data); err != nil {
			return err
		}
		if untold += g.At - at + len(g.Data); untold >= tellsFrom && i < len(o.gaps)-1 {
			q.mu.Lock()
			q.taken -= untold
			q.mu.Unlock()
			written(untold)
			untold = 0
		}
		at = g.At
	}
	if err := r.add(o.buf[at:]); err != nil {
		return err
	}
	return r.flush()
}
