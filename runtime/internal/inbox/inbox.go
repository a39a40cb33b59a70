// Package inbox is what a peer knows of the messages that another one has sent it on the
// present connection: which have come, which would survive a restart, and what is to be
// acknowledged. It holds no message.
package inbox

// Inbox counts the messages of one peer, whose numbers begin at 1 on each connection.
//
// Invariant: saved ≤ next and told ≤ safe ≤ next.
type Inbox struct {
	next   uint64 // all up to here have come
	window uint64 // bit i: next+1+i has come too
	saved  uint64 // next when the last snapshot was taken
	safe   uint64 // all up to here would survive a restart
	told   uint64 // the acknowledgement that went out last
	due    bool   // one should go out though nothing changed: the peer sent something twice
}

// WindowBits is how far ahead of a gap a message is taken.
const WindowBits = 64

// Has reports whether a message has come, and whether it would be taken.
func (b *Inbox) Has(seq uint64) (come, ok bool) {
	if seq <= b.next {
		return true, true
	}
	ahead := seq - b.next - 1
	return ahead < WindowBits && b.window&(1<<ahead) != 0, ahead < WindowBits
}

// Take notes a message, and reports whether it is new. What is too far ahead is not taken: it
// comes again. What is not new is acknowledged once more.
func (b *Inbox) Take(seq uint64) (isNew, ok bool) {
	isNew, ok = b.take(seq)
	b.due = b.due || !isNew
	return isNew, ok
}

func (b *Inbox) take(seq uint64) (isNew, ok bool) {
	switch {
	case seq <= b.next:
		return false, true
	case seq-b.next > WindowBits:
		return false, false
	}
	bit := uint64(1) << (seq - b.next - 1)
	if b.window&bit != 0 {
		return false, true
	}
	b.window |= bit
	for b.window&1 != 0 {
		b.window >>= 1
		b.next++
	}
	return true, true
}

// Repeat has the peer hear once more how much has come.
func (b *Inbox) Repeat() { b.due = true }

// Snapshot says that a snapshot was taken, which holds what has come.
func (b *Inbox) Snapshot() { b.saved = b.next }

// Persisted says that the snapshot taken last would survive a restart.
func (b *Inbox) Persisted() { b.safe = max(b.safe, b.saved) }

// Volatile says that no restart is to be survived: all that has come counts as safe.
func (b *Inbox) Volatile() { b.safe = b.next }

// Unsafe reports whether something has come that a restart would forget.
func (b *Inbox) Unsafe() bool { return b.safe < b.next }

// Owes reports whether the peer is to hear an acknowledgement.
func (b *Inbox) Owes() bool { return b.safe > b.told || b.due }

// Ack is what goes out with the next message: all up to it need not be sent again.
func (b *Inbox) Ack() uint64 {
	b.told = b.safe
	return b.told
}

// Heard says that messages with acknowledgements are on their way.
func (b *Inbox) Heard() { b.due = false }

// Came returns up to which number all have come.
func (b *Inbox) Came() uint64 { return b.next }
