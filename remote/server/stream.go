package server

import (
	"sync"

	"github.com/bbgen/bbgen/remote/protocol"
)

// stream runs tasks in order.
type stream struct {
	queue    chan func()
	fetching []*slot // of transfers since the last Sync; used only by the goroutine that reads messages

	mu     sync.Mutex
	failed *protocol.Failure // the first one since the last Sync
}

const (
	maxStreams = 64 // of a session
	queueRoom  = 64 // the number of waiting tasks of a stream from which on the session's messages wait
)

// note records the first failure for the next Sync.
func (s *stream) note(f *protocol.Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = f
	}
}

// take returns the first failure since the last call.
func (s *stream) take() *protocol.Failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.failed
	s.failed = nil
	return f
}

// stream returns a stream of the session, and makes it if it is new. It returns nil if there are too many.
func (s *session) stream(number uint32) *stream {
	if x := s.streams[number]; x != nil {
		return x
	}
	if len(s.streams) == maxStreams {
		return nil
	}
	x := &stream{queue: make(chan func(), queueRoom)}
	s.streams[number] = x
	s.tasks.Go(func() {
		for {
			select {
			case task := <-x.queue:
				task()
			case <-s.ctx.Done():
				return
			}
		}
	})
	return x
}

// enqueue makes a stream run a task. When the queue is full the session's messages wait.
func (s *session) enqueue(x *stream, task func()) {
	select {
	case x.queue <- task:
	case <-s.ctx.Done():
	}
}
