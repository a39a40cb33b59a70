package pipeline

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// link is a stream to another stage. Messages are written and read beside the computation: send never waits, and the
// schedule bounds what is under way.
type link struct {
	stage  int // at the other end
	stream io.ReadWriteCloser
	in     chan message // closed when reading has failed, with err

	err error

	mu      sync.Mutex
	change  sync.Cond
	queue   []outgoing
	writing bool // messages that are no more in the queue
	stopped bool // nothing is written any more
	closing bool
	over    chan struct{} // closed when nothing is written any more
	gone    chan struct{} // closed by close
	once    sync.Once
}

// outgoing is a message to be written.
type outgoing struct {
	kind  kind
	parts [][]byte
}

// pending is how many received messages may wait to be taken, before the other end has to wait.
const pending = 4

func newLink(stage int, stream io.ReadWriteCloser) *link {
	l := &link{stage: stage, stream: stream, in: make(chan message, pending), over: make(chan struct{}), gone: make(chan struct{})}
	l.change.L = &l.mu
	go l.write()
	go l.read()
	return l
}

// send sends a message. The parts must not change until written returns.
func (l *link) send(k kind, parts ...[]byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = append(l.queue, outgoing{k, parts})
	l.change.Broadcast()
}

// write writes messages until the link is closed, or a write fails: then reading fails, too.
func (l *link) write() {
	defer close(l.over)
	defer l.stopWriting()
	w := bufio.NewWriterSize(l.stream, 64<<10)
	for {
		list, ok := l.take()
		if !ok {
			return
		}
		for _, m := range list {
			if err := writeMessage(w, m.kind, m.parts...); err != nil {
				l.stream.Close()
				return
			}
		}
		if err := w.Flush(); err != nil {
			l.stream.Close()
			return
		}
	}
}

// take waits for messages to be written. It returns false when there are none any more.
func (l *link) take() ([]outgoing, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writing = false
	l.change.Broadcast()
	for len(l.queue) == 0 && !l.closing {
		l.change.Wait()
	}
	list := l.queue
	l.queue, l.writing = nil, true
	return list, len(list) > 0
}

// stopWriting notes that nothing is written any more.
func (l *link) stopWriting() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = true
	l.change.Broadcast()
}

// written waits until all messages are written, or cannot be written any more. If the other end has answered the
// last one, it returns at once.
func (l *link) written() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.stopped && (l.writing || len(l.queue) > 0) {
		l.change.Wait()
	}
}

// read reads messages until that fails.
func (l *link) read() {
	defer close(l.in)
	r := bufio.NewReaderSize(l.stream, 64<<10)
	for {
		m, err := readMessage(r)
		if err != nil {
			l.err = err
			return
		}
		select {
		case l.in <- m:
		case <-l.gone:
			l.err = errClosed
			return
		}
	}
}

var errClosed = errors.New("the connection is closed")

// farewell is how long a stage waits until its last messages are written.
const farewell = 5 * time.Second

// close writes what was sent, as far as the other end reads it, and closes the stream.
func (l *link) close() {
	l.once.Do(func() {
		l.mu.Lock()
		l.closing = true
		l.change.Broadcast()
		l.mu.Unlock()
		select {
		case <-l.over:
		case <-time.After(farewell):
		}
		close(l.gone)
		l.stream.Close()
	})
}

// lost returns the error of a link whose in is closed.
func (l *link) lost(of int) error {
	if errors.Is(l.err, errMessage) {
		return fmt.Errorf("stage %d of %d: %w", l.stage, of, l.err)
	}
	return fmt.Errorf("stage %d of %d is lost: %w", l.stage, of, l.err)
}
