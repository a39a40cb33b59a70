package nats

import (
	"slices"
	"sync"
)

// maxCalls is how many calls wait to be accepted: those of a whole fleet after a restart of the broker. If there are
// more the oldest is refused, and is repeated.
const maxCalls = 1 << 14

// calls are the calls that wait to be accepted. The latest comes first: if more come than can be accepted, those that
// have waited longest have given up, or will before they are served. In order of arrival all would be served too late.
type calls struct {
	some chan struct{} // holds a token if calls may wait

	mu   sync.Mutex
	list []*conn // oldest first
}

func newCalls() *calls { return &calls{some: make(chan struct{}, 1)} }

// push adds a call. It returns the oldest one if there are too many.
func (s *calls) push(c *conn) (refused *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.list) == maxCalls {
		refused = s.list[0]
		s.list = slices.Delete(s.list, 0, 1)
	}
	s.list = append(s.list, c)
	s.wake()
	return refused
}

// pop takes the latest call. It returns nil if there is none.
func (s *calls) pop() *conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.list) - 1
	if n < 0 {
		return nil
	}
	c := s.list[n]
	s.list[n] = nil
	s.list = s.list[:n]
	if n > 0 {
		s.wake()
	}
	return c
}

func (s *calls) wake() {
	select {
	case s.some <- struct{}{}:
	default:
	}
}
