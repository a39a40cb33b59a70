// Package mailbox passes calls from any goroutine to the one that owns a Node.
package mailbox

import "sync/atomic"

// Mailbox holds notes, in their order. Posting is lock-free.
type Mailbox struct {
	top  atomic.Pointer[Note] // a stack: the latest first
	wake chan struct{}        // holds a token if there may be notes
}

// Note is a function for the owner. It may be posted again after it has run.
type Note struct {
	next *Note
	do   func()
}

// NewNote returns a note.
func NewNote(do func()) *Note { return &Note{do: do} }

// New returns an empty mailbox.
func New() *Mailbox { return &Mailbox{wake: make(chan struct{}, 1)} }

// Wake returns a channel that holds a value if there may be notes.
func (m *Mailbox) Wake() <-chan struct{} { return m.wake }

// Post adds a note, from any goroutine.
func (m *Mailbox) Post(n *Note) {
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

// Run executes notes, oldest first, and reports whether there were any. Only the owner calls it.
func (m *Mailbox) Run() bool {
	var first *Note
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
