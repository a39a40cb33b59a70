// Package inbox tracks the messages that a peer has received from another one on the present connection: which
// have arrived, which are durable, and which are to be acknowledged. It does not hold the messages.
package inbox

// An Inbox tracks the messages of one peer, numbered from 1 on each connection.
//
// Invariant: saved ≤ next and told ≤ safe ≤ next.
type Inbox struct {
	next     uint64 // all up to here have arrived
	window   uint64 // bit i: next+1+i has arrived, too
	saved    uint64 // next when the last snapshot was taken
	safe     uint64 // all up to here are durable
	told     uint64 // safe when the last acknowledgement was sent
	released uint64 // the first message that is left to the next incarnation; 0: none
	due      bool   // an acknowledgement is due although nothing changed: the peer sent a duplicate
}

// WindowBits is how far ahead of a gap a message is accepted.
const WindowBits = 64

// Has reports whether a message has arrived, and whether it would be accepted.
func (b *Inbox) Has(seq uint64) (come, ok bool) {
	if seq <= b.next {
		return true, true
	}
	ahead := seq - b.next - 1
	return ahead < WindowBits && b.window&(1<<ahead) != 0, ahead < WindowBits
}

// Take records a message, and reports whether it is new. A message that is too far ahead is not accepted: it
// must be sent again. A duplicate is acknowledged once more.
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

// Repeat makes the next message repeat the acknowledgement.
func (b *Inbox) Repeat() { b.due = true }

// Release leaves a message to the next incarnation: neither it nor a later message is acknowledged on this connection, so
// that the peer sends them again on the next one.
func (b *Inbox) Release(seq uint64) {
	if b.released == 0 || seq < b.released {
		b.released = seq
	}
}

// Snapshot records that a snapshot was taken of all messages so far.
func (b *Inbox) Snapshot() { b.saved = b.next }

// Persisted records that the last snapshot is durable.
func (b *Inbox) Persisted() { b.safe = max(b.safe, b.saved) }

// Volatile declares that the state need not survive restarts: all messages count as durable.
func (b *Inbox) Volatile() { b.safe = b.next }

// Unsafe reports whether there are messages that a restart would lose.
func (b *Inbox) Unsafe() bool { return b.safe < b.next }

// Owes reports whether an acknowledgement is due.
func (b *Inbox) Owes() bool { return b.safe > b.told || b.due }

// Ack returns the acknowledgement for the next message: messages up to this number need not be sent again.
func (b *Inbox) Ack() uint64 {
	b.told = b.safe
	return b.MayAck(b.told)
}

// MayAck returns the largest number up to one that may be acknowledged: nothing from the first released message on.
func (b *Inbox) MayAck(upTo uint64) uint64 {
	if b.released > 0 {
		return min(upTo, b.released-1)
	}
	return upTo
}

// Released returns the number up to which messages that are not acknowledged are left to the next incarnation; 0: none are.
func (b *Inbox) Released() uint64 {
	if b.released > 0 {
		return b.safe
	}
	return 0
}

// Heard records that messages with acknowledgements were sent.
func (b *Inbox) Heard() { b.due = false }

// Came returns the number up to which all messages have arrived.
func (b *Inbox) Came() uint64 { return b.next }
