package peer

import (
	"sync"
	"sync/atomic"
	"time"
)

// outQueue is what waits to be written on a stream. The loop appends to it while
// a goroutine writes what was there before.
type outQueue struct {
	mu     sync.Mutex
	buf    []byte
	spare  []byte
	closed bool
	wake   chan struct{}
	paused atomic.Bool // the node was told that this is full
}

const (
	highWater = 4 << 20   // bytes that may wait before the node is paused
	keepQueue = 1 << 20   // the largest buffer that is kept for the next messages
	writeStep = 256 << 10 // bytes that must get away within the stall time-out
)

func newOutQueue() *outQueue { return &outQueue{wake: make(chan struct{}, 1)} }

// append lets f append to what waits, and returns how much that is.
func (q *outQueue) append(f func(b []byte) []byte) int {
	q.mu.Lock()
	q.buf = f(q.buf)
	n := len(q.buf)
	q.mu.Unlock()
	q.signal()
	return n
}

func (q *outQueue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// close lets the writer end when it has written all.
func (q *outQueue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.signal()
}

// take waits for something to write. It returns nothing after close.
func (q *outQueue) take() []byte {
	for {
		q.mu.Lock()
		b, closed := q.buf, q.closed
		if len(b) > 0 {
			q.buf, q.spare = q.spare[:0], nil
		}
		q.mu.Unlock()
		if len(b) > 0 || closed {
			return b
		}
		<-q.wake
	}
}

// give returns the memory of what take returned.
func (q *outQueue) give(b []byte) {
	if cap(b) <= keepQueue {
		q.mu.Lock()
		q.spare = b
		q.mu.Unlock()
	}
}

// write writes what is queued on a stream until close or an error. After what it
// has written the node may be told to go on.
func (q *outQueue) write(s Stream, stall time.Duration, written func(n int)) error {
	for {
		b := q.take()
		if len(b) == 0 {
			return nil
		}
		if err := writeAll(s, b, stall); err != nil {
			return err
		}
		written(len(b))
		q.give(b)
	}
}

// writeAll writes b. Each part of it must get away in time, the whole may take
// as long as the network is slow.
func writeAll(s Stream, b []byte, stall time.Duration) error {
	for len(b) > 0 {
		if err := s.SetWriteDeadline(time.Now().Add(stall)); err != nil {
			return err
		}
		n, err := s.Write(b[:min(len(b), writeStep)])
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}
