package serve

import (
	"sync"

	"github.com/bbgen/bbgen/runtime"
)

// sessions lends at most so many sessions at a time. They are made when they
// are first needed and used again, the latest first, whose memory is still
// warm.
type sessions struct {
	make func() (runtime.Session, error)

	mu   sync.Mutex
	left int               // how many may still be lent; guarded by mu
	free []runtime.Session // made and not lent; guarded by mu
}

// take lends a session, or says that there is none left.
func (p *sessions) take() (s runtime.Session, ok bool, err error) {
	p.mu.Lock()
	if p.left == 0 {
		p.mu.Unlock()
		return nil, false, nil
	}
	p.left--
	if n := len(p.free); n > 0 {
		s, p.free = p.free[n-1], p.free[:n-1]
	}
	p.mu.Unlock()
	if s == nil {
		if s, err = p.make(); err != nil {
			p.put(nil)
		}
	}
	return s, true, err
}

// put takes a session back; nil stands for one that is not to be used again.
func (p *sessions) put(s runtime.Session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left++
	if s != nil {
		p.free = append(p.free, s)
	}
}
