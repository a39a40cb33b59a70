package peer

import "sync/atomic"

// mailbox takes notes from any goroutine and gives them to one, in the order in
// which they came. Posting takes no lock.
type mailbox struct {
	top  atomic.Pointer[note] // a stack: the latest first
	wake chan struct{}        // holds a token if there may be notes
}

// note is something that the loop must do. Its memory may be posted again when
// it has been done.
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

// run does what notes say, oldest first, and reports whether there were any.
func (m *mailbox) run() bool {
	var first *note
	for n := m.top.Swap(nil); n != nil; {
		n.next, first, n = first, n, n.next
	}
	if first == nil {
		return false
	}
	for n := first; n != nil; {
		next := n.next // the note may be posted again as soon as it is done
		n.do()
		n = next
	}
	return true
}
