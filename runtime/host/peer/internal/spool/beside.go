package spool

import "sync"

// beside runs functions one after the other, outside of the loop, which must not wait for the disk.
type beside struct {
	mu   sync.Mutex
	list []func()
	runs bool      // a goroutine runs the list
	idle sync.Cond // signals that the list is empty
}

func newBeside() *beside {
	b := &beside{}
	b.idle.L = &b.mu
	return b
}

// post queues a function. It never waits.
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

// wait waits until all queued functions have run.
func (b *beside) wait() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.runs {
		b.idle.Wait()
	}
}
