package spool

import "sync"

// beside does one thing after the other beside the loop, which has no time for the disk.
type beside struct {
	mu   sync.Mutex
	list []func()
	runs bool      // somebody does what is in the list
	idle sync.Cond // says that nothing is left
}

func newBeside() *beside {
	b := &beside{}
	b.idle.L = &b.mu
	return b
}

// post has something done, behind all that was posted before. It never waits.
func (b *beside) post(do func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list = append(b.list, do)
	if !b.runs {
		b.runs = true
		go b.run()
	}
}

func (b *beside) run() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.list) > 0 {
		list := b.list
		b.list = nil
		b.mu.Unlock()
		for _, do := range list {
			do()
		}
		b.mu.Lock()
	}
	b.runs = false
	b.idle.Broadcast()
}

// wait waits until all is done that was posted.
func (b *beside) wait() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.runs {
		b.idle.Wait()
	}
}
