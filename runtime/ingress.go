package runtime

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// ErrIngressFull is returned by Deliver if too many messages wait to be read, of all peers or of this one. The
// envelope is not acknowledged, so that the peer sends it again.
var ErrIngressFull = errors.New("runtime: the ingress queue is full")

// ingress holds delivered envelopes until they are read. Each peer has a queue, and the queues are served by
// deficit round robin: a message of a peer waits for at most one quantum of each other one, however much those
// send.
type ingress struct {
	turns container.Fifo[*peer] // peers with messages, the next one first
	n     int                   // envelopes
	bytes int                   // of the envelopes
	more  bool                  // each had its turn, and there is more to read
	free  []*intake
}

// quantum is how much of a peer is read in a turn, in operations. For an envelope that costs more, the peer's
// next turns are skipped.
const quantum = 32

// bytesPerOp is how many bytes of an envelope take as long to read as one fill.
const bytesPerOp = 16 << 10

// intake is the unread messages of a peer.
type intake struct {
	queue container.Fifo[arrival]
	buf   []byte // the envelopes that are not lent, concatenated
	read  int    // bytes at the beginning of buf that were read
	bytes int    // of all envelopes
}

// arrival is an envelope: the next bytes of buf, borrowed memory instead of these, or one that was read before and whose
// bulk is complete.
type arrival struct {
	len      int
	borrowed *borrowed
	awaited  *awaited
}

// borrowed is an envelope in borrowed memory.
type borrowed struct {
	bytes  []byte
	memory *tensor.Memory // the memory of the bytes, if it has a reference count
	done   func()
}

// Deliver delivers an envelope from a peer that the channel has authenticated. The bytes are borrowed until it
// returns.
func (n *Node) Deliver(now int64, from wire.PeerID, envelope []byte) error {
	n.advance(now)
	p, err := n.senderOf(from, len(envelope))
	if p != nil {
		q := n.intakeOf(p)
		q.makeRoom(len(envelope))
		q.buf = append(q.buf, envelope...)
		n.addArrival(q, arrival{len: len(envelope)})
	}
	return err
}

// Lend is [Node.Deliver] without a copy. The bytes are borrowed until the Node calls
// done, within this call or a later one; if Lend fails they are the caller's. Large values in
// memory that is counted, where m is not nil, are not copied then either: the Node may write
// to such an envelope, and keep a share in it.
func (n *Node) Lend(now int64, from wire.PeerID, envelope []byte, m *tensor.Memory, done func()) error {
	n.advance(now)
	p, err := n.senderOf(from, len(envelope))
	switch {
	case p != nil:
		n.addArrival(n.intakeOf(p), arrival{len: len(envelope), borrowed: &borrowed{envelope, m, done}})
	case err == nil:
		done()
	}
	return err
}

// senderOf returns the peer that has sent an envelope of size bytes, or nil if it is ignored, and an error if
// there is no room for the envelope.
func (n *Node) senderOf(from wire.PeerID, size int) (*peer, error) {
	in := &n.ingress
	if size > n.limits.Wire.Envelope {
		return nil, &wire.LimitError{What: "envelope", Got: uint64(size), Max: uint64(n.limits.Wire.Envelope)}
	}
	p, err := n.sender(from)
	if err != nil {
		n.dropIgnored(from, err)
		return nil, nil
	}
	has, bytes := 0, 0
	if q := p.intake; q != nil {
		has, bytes = q.queue.Len(), q.bytes
	}
	if !limits.InFairShare(has, 1, in.n, n.limits.Ingress) || !limits.InFairShare(bytes, size, in.bytes, n.limits.IngressBytes) {
		n.stats.IngressFull++
		return nil, fmt.Errorf("envelope from %v: %w", from, ErrIngressFull)
	}
	return p, nil
}

// intakeOf returns the queue of a peer, and adds it to the turns if it was empty.
func (n *Node) intakeOf(p *peer) *intake {
	in := &n.ingress
	if p.intake != nil {
		return p.intake
	}
	if last := len(in.free) - 1; last >= 0 {
		p.intake, in.free = in.free[last], in.free[:last]
	} else {
		p.intake = &intake{}
	}
	in.turns.Push(p)
	return p.intake
}

// addArrival records an envelope.
func (n *Node) addArrival(q *intake, a arrival) {
	q.queue.Push(a)
	q.bytes += a.len
	n.ingress.n++
	n.ingress.bytes += a.len
}

// makeRoom moves unread bytes to the beginning of the buffer, if it would otherwise grow and half of it was
// read.
func (q *intake) makeRoom(size int) {
	if len(q.buf)+size > cap(q.buf) && q.read > len(q.buf)/2 {
		q.buf, q.read = q.buf[:copy(q.buf, q.buf[q.read:])], 0
	}
}

// next removes and returns the next envelope. The bytes are valid until the next delivery.
func (n *Node) next(q *intake) (a arrival, b []byte) {
	a = q.queue.Pop()
	q.bytes -= a.len
	n.ingress.n--
	n.ingress.bytes -= a.len
	if a.borrowed == nil {
		b = q.buf[q.read : q.read+a.len]
		q.read += a.len
	}
	return a, b
}

// The limits of memory and number of empty queues that are kept.
const (
	keepIntake  = 64 << 10 // bytes
	keepIntakes = 16
)

// reclaim releases a peer's empty queue.
func (n *Node) reclaim(p *peer) {
	q := p.intake
	p.intake, p.credit = nil, min(p.credit, 0)
	if len(n.ingress.free) < keepIntakes {
		if cap(q.buf) > keepIntake {
			q.buf = nil
		}
		q.buf, q.read = q.buf[:0], 0
		n.ingress.free = append(n.ingress.free, q)
	}
}

// forget drops unread messages of an earlier connection: their numbers are invalid on the new one, on which all
// of them come again.
func (n *Node) forget(p *peer) {
	for q := p.intake; q != nil && q.queue.Len() > 0; {
		if a, _ := n.next(q); a.borrowed != nil {
			a.borrowed.done()
		}
	}
	n.loseEarly(p)
	for _, a := range p.awaited {
		n.dropAwaited(p, a)
	}
	p.awaited = nil
}

// drain gives each peer a turn, until the budget is used up.
func (n *Node) drain() {
	in := &n.ingress
	for range in.turns.Len() {
		if n.ops >= n.limits.Ops {
			return
		}
		p := in.turns.Pop()
		n.read(p)
		if p.intake.queue.Len() > 0 {
			in.turns.Push(p)
		} else {
			n.reclaim(p)
		}
	}
	in.more = in.n > 0
}

// read reads a peer's messages up to its share of a turn.
func (n *Node) read(p *peer) {
	q := p.intake
	if n.ingress.turns.Len() == 0 { // no other peer waits
		p.credit = 0
	}
	for p.credit += quantum; p.credit > 0 && q.queue.Len() > 0 && n.ops < n.limits.Ops; {
		a, b := n.next(q)
		cost := 1 + a.len/bytesPerOp
		switch {
		case a.awaited != nil:
			cost += n.readAssembled(p, a.awaited)
		case a.borrowed != nil:
			cost += n.receive(p, a.borrowed.bytes, a.borrowed.memory)
			a.borrowed.done()
		default:
			cost += n.receive(p, b, nil)
		}
		n.ops += cost
		p.credit -= cost
	}
}
