package peer

import "sync/atomic"

// mailbox passes notes from any goroutine to one, in order. Posting is lock-free.
type mailbox struct {
	top  atomic.Pointer[note] // a stack: the latest first
	wake chan struct{}        // holds a token if there may be notes
}

// note is a function for the loop. It may be posted again after it has run.
type note struct {
	next *note
	do   func()
}

func newMailbox() *mailbox { return &mailbox{wake: make(chan struct{}, 1)} }

func (m *mailbox) post(n *note) {
	for {
		top := m.top.Load()
		n.next = top
		if m.top.CompareAndSwap(top, n) {
			if top == nil {
				select {
				case m.wake <- struct{}{}:
				default:
				}
			}
			return
		}
	}
}

// run executes notes, oldest first, and reports whether there were any.
func (m *mailbox) run() bool {
	var first *note
	for n := m.top.Swap(nil); n != nil; {
		n.next, first, n = first, n, n.next
	}
	if first == nil {
		return false
	}
	for n := first; n != nil; {
		next := n.next // the note may be posted again as soon as it has run
		n.do()
		n = next
	}
	return true
}
