package outbox

import (
	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Box holds the envelopes for one peer until the peer acknowledges them.
//
// Invariant: the envelopes' numbers are consecutive, and the last one is last; the first sent of them have been
// sent on the present connection.
type Box struct {
	store *Store
	share *ledger.Share // of the peer
	queue container.Fifo[*Envelope]
	sent  int
	last  uint64
	bulk  inFlight

	rewound bool // nothing was sent since [Box.Rewind]

	// released is the number up to which the peer leaves envelopes that it has not acknowledged to its next incarnation.
	released uint64

	maxEnvelope, maxFill int // the sizes in bytes that the peer accepts

	timeout int64 // ns until envelopes are sent again; doubles while no acknowledgement comes
	timed   bool  // the timer runs
}

// NewBox returns a box whose envelopes count in a peer's share.
func NewBox(s *Store, share *ledger.Share) Box { return Box{store: s, share: share} }

// Accept sets the sizes of envelopes and of their fills that the peer accepts.
func (b *Box) Accept(envelope, fill int) { b.maxEnvelope, b.maxFill = envelope, fill }

// Len returns the number of envelopes.
func (b *Box) Len() int { return b.queue.Len() }

// At returns the i-th envelope.
func (b *Box) At(i int) *Envelope { return *b.queue.At(i) }

// Last returns the number of the last envelope, sent or not, on the present connection.
func (b *Box) Last() uint64 { return b.last }

// Put appends an envelope.
func (b *Box) Put(e *Envelope) {
	for i := range e.Fills {
		if p := e.Fills[i].Payload; p != nil {
			e.bytes += p.size()
		}
	}
	b.store.ledger.Add(b.share, ledger.Envelopes, 1)
	b.share.Add(ledger.Payloads, int64(e.bytes))
	b.last++
	e.Seq = b.last
	b.queue.Push(e)
}

// discard frees an envelope that is not in the queue any more.
func (b *Box) discard(e *Envelope) {
	b.store.ledger.Add(b.share, ledger.Envelopes, -1)
	b.share.Add(ledger.Payloads, -int64(e.bytes))
	b.store.Free(e)
}

// Next returns the first envelope that was not sent on the present connection, or nil.
func (b *Box) Next() *Envelope {
	if b.sent == b.queue.Len() {
		return nil
	}
	return b.At(b.sent)
}

// Send counts the next envelope as sent. It returns false if the envelope must wait until the peer has fetched the
// bulk of earlier ones.
func (b *Box) Send(now int64) bool {
	e := b.At(b.sent)
	if b.split(e); b.bulk.waits(e) {
		return false
	}
	b.sent++
	b.rewound = false
	e.sentAt, e.sentAfter, e.here = now, b.store.delivered, true
	if e.hasBulk {
		b.bulk.add(e)
	}
	return true
}

// IsAcknowledged reports whether the first envelope was sent, and the acknowledgement up to a number includes it.
// An envelope that was not sent cannot have arrived.
func (b *Box) IsAcknowledged(upTo uint64) bool { return b.sent > 0 && b.At(0).Seq <= upTo }

// Sample is the time from when an envelope was sent to its acknowledgement, ns, and the bytes that all
// peers of the store have acknowledged in that time, including its own, in envelopes without bulk.
type Sample struct{ RTT, Bytes int64 }

// Acknowledge removes the first envelope. It returns a sample, or false if the envelope was sent more than once, so
// that its round trip is unknown. When all acknowledged envelopes are removed, call [Box.Progressed].
func (b *Box) Acknowledge(now int64) (s Sample, ok bool) {
	e := b.queue.Pop()
	b.sent--
	if !e.hasBulk {
		b.store.delivered += int64(e.bytes)
	}
	s, ok = Sample{now - e.sentAt, b.store.delivered - e.sentAfter}, !e.again
	b.discard(e)
	return s, ok
}

// Progressed records that envelopes were acknowledged. It reports whether others wait to be sent.
func (b *Box) Progressed() bool {
	b.timeout = 0
	b.recount()
	return b.sent < b.queue.Len()
}

// MarkReleased records that the peer leaves the envelopes up to a number that it has not acknowledged to its next incarnation.
func (b *Box) MarkReleased(upTo uint64) { b.released = max(b.released, upTo) }

// IsReleased reports whether no envelope waits for the present incarnation of the peer.
func (b *Box) IsReleased() bool {
	return b.queue.Len() == 0 || b.sent == b.queue.Len() && b.last <= b.released
}

// Rewind makes all envelopes go out again on a new connection, with numbers from 1. The receiver recognizes those
// that it got on the old connection by edge, sender and execution. If nothing was sent since the last call, what it has
// recorded stays.
func (b *Box) Rewind() {
	for i := range b.queue.Len() {
		e := b.At(i)
		if !b.rewound {
			e.Before = 0
		}
		if e.here {
			e.Before, e.here = e.Seq, false
		}
		e.Seq, e.again = uint64(i+1), e.again || i < b.sent
	}
	b.last, b.sent, b.timeout, b.released, b.rewound = uint64(b.queue.Len()), 0, 0, 0, true
	b.recount()
}

// Owes reports whether the box has an envelope of an execution.
func (b *Box) Owes(x *wire.ExecID) bool {
	for i := range b.queue.Len() {
		if b.At(i).Exec == *x {
			return true
		}
	}
	return false
}

// Bulk returns the payload with a name, or nil if no sent envelope has it.
func (b *Box) Bulk(id uint64) wire.Blob {
	if p := b.named(id); p != nil {
		return p.blob
	}
	return nil
}

// Whole is Bulk of the payload in memory, if it was loaded.
func (b *Box) Whole(id uint64) wire.Blob {
	if p := b.named(id); p != nil {
		return p.whole()
	}
	return nil
}

func (b *Box) named(id uint64) *Payload {
	for i := range b.sent {
		for _, f := range b.At(i).Fills {
			if f.isBulk && f.Payload.bulk.ID == id {
				return f.Payload
			}
		}
	}
	return nil
}

// Withdraw removes the envelopes of an execution if the first of them was never sent, and returns how many it has
// removed.
func (b *Box) Withdraw(x wire.ExecID) (withdrawn int) {
	isOf := func(e *Envelope) bool { return e.Exec == x && !e.again }
	begun := false
	for i := b.sent; i < b.queue.Len() && !begun; i++ {
		e := b.At(i)
		begun = e.Begins && isOf(e)
	}
	if !begun {
		return 0
	}
	var kept container.Fifo[*Envelope]
	b.last -= uint64(b.queue.Len() - b.sent)
	for i := range b.queue.Len() {
		e := b.At(i)
		switch {
		case i < b.sent:
		case isOf(e):
			withdrawn++
			b.discard(e)
			continue
		default:
			b.last++
			e.Seq = b.last
		}
		kept.Push(e)
	}
	b.queue = kept
	return withdrawn
}

// DeleteFunc removes the envelopes for which drop returns true, sent or not, and returns how many it has removed.
// The connection must end, or have ended: the others get new numbers.
func (b *Box) DeleteFunc(drop func(e *Envelope) bool) (dropped int) {
	b.Rewind()
	b.last = 0
	var kept container.Fifo[*Envelope]
	for i := range b.queue.Len() {
		e := b.At(i)
		if drop(e) {
			dropped++
			b.discard(e)
			continue
		}
		b.last++
		e.Seq = b.last
		kept.Push(e)
	}
	b.queue = kept
	return dropped
}
