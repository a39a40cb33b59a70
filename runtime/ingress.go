package runtime

import (
	"errors"
	"slices"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// ErrIngressFull is returned by Deliver if too many messages wait to be read, of all peers or of this one. The
// envelope is not acknowledged, so that the peer sends it again.
var ErrIngressFull = errors.New("runtime: the ingress queue is full")

// ingress holds delivered envelopes until they are read. Each peer has a queue (its intake), and the queues are
// served by deficit round robin: a message of a peer waits for at most one quantum of each other one, however
// much those send. A turn is begun by [ingress.turn] and ended by [ingress.end].
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

// hasRoom reports whether an envelope of size bytes of a peer fits the limits of all peers and of this one.
func (in *ingress) hasRoom(p *peer, size int, l *limits.Limits) bool {
	has, bytes := 0, 0
	if q := p.intake; q != nil {
		has, bytes = q.queue.Len(), q.bytes
	}
	return limits.InFairShare(has, 1, in.n, l.Ingress) && limits.InFairShare(bytes, size, in.bytes, l.IngressBytes)
}

// of returns the queue of a peer, and adds it to the turns if it was empty.
func (in *ingress) of(p *peer) *intake {
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

// space returns the buffer of a peer, with space for an envelope of size bytes if half of it was read. The caller
// appends the envelope, and passes the result to [ingress.written].
func (in *ingress) space(p *peer, size int) []byte {
	q := in.of(p)
	q.makeRoom(size)
	return q.buf
}

// written adds the envelope that was appended to the buffer of a peer.
func (in *ingress) written(p *peer, buf []byte) {
	q := p.intake
	added := len(buf) - len(q.buf)
	q.buf = buf
	in.add(p, arrival{len: added})
}

// add adds an envelope of a peer.
func (in *ingress) add(p *peer, a arrival) {
	q := in.of(p)
	q.queue.Push(a)
	q.bytes += a.len
	in.n++
	in.bytes += a.len
}

// makeRoom moves unread bytes to the beginning of the buffer, if it would otherwise grow and half of it was
// read.
func (q *intake) makeRoom(size int) {
	if len(q.buf)+size > cap(q.buf) && q.read > len(q.buf)/2 {
		q.buf, q.read = q.buf[:copy(q.buf, q.buf[q.read:])], 0
	}
}

// next removes and returns the next envelope. The bytes are valid until the next delivery.
func (in *ingress) next(q *intake) (a arrival, b []byte) {
	a = q.queue.Pop()
	q.bytes -= a.len
	in.n--
	in.bytes -= a.len
	if a.borrowed == nil {
		b = q.buf[q.read : q.read+a.len]
		q.read += a.len
	}
	return a, b
}

// turn begins the turn of the next peer, which may be read as long as its credit is positive. What it exceeds its
// quantum by is taken from its next turns.
func (in *ingress) turn() *peer {
	p := in.turns.Pop()
	if in.turns.Len() == 0 { // no other peer waits
		p.credit = 0
	}
	p.credit += quantum
	return p
}

// end ends the turn of a peer: it waits for its next one, or its empty queue is released.
func (in *ingress) end(p *peer) {
	if p.intake.queue.Len() > 0 {
		in.turns.Push(p)
	} else {
		in.reclaim(p)
	}
}

// The limits of memory and number of empty queues that are kept.
const (
	keepIntake  = 64 << 10 // bytes
	keepIntakes = 16
)

// reclaim releases a peer's empty queue.
func (in *ingress) reclaim(p *peer) {
	q := p.intake
	p.intake, p.credit = nil, min(p.credit, 0)
	if len(in.free) < keepIntakes {
		if cap(q.buf) > keepIntake {
			q.buf = nil
		}
		q.buf, q.read = q.buf[:0], 0
		in.free = append(in.free, q)
	}
}

// early holds the envelopes for modules that may not run before the end of the bootstrap. They are not acknowledged, and
// count in the limits of the ingress queue.
type early struct {
	list  []heldEnvelope
	bytes int
}

// heldEnvelope is an envelope for a module that may not run yet.
type heldEnvelope struct {
	from  *peer
	bytes []byte
}

// hasRoom reports whether an envelope of size bytes of a peer fits the limits.
func (e *early) hasRoom(p *peer, size int, l *limits.Limits) bool {
	return limits.InFairShare(p.early, 1, len(e.list), l.Ingress) && limits.InFairShare(p.earlyBytes, size, e.bytes, l.IngressBytes)
}

// add adds a copy of an envelope of a peer.
func (e *early) add(p *peer, b []byte) {
	e.list = append(e.list, heldEnvelope{p, slices.Clone(b)})
	e.bytes += len(b)
	p.early++
	p.earlyBytes += len(b)
}

// take removes and returns all envelopes.
func (e *early) take() []heldEnvelope {
	list := e.list
	for _, h := range list {
		h.from.early, h.from.earlyBytes = 0, 0
	}
	e.list, e.bytes = nil, 0
	return list
}

// drop drops the envelopes of a peer.
func (e *early) drop(p *peer) {
	e.list = slices.DeleteFunc(e.list, func(h heldEnvelope) bool { return h.from == p })
	e.bytes -= p.earlyBytes
	p.early, p.earlyBytes = 0, 0
}
