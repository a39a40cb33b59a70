package runtime

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/wire"
)

// ErrIngressFull is what Deliver says when the Node has too much to read. The
// envelope is not acknowledged, so that the peer sends it again.
var ErrIngressFull = errors.New("runtime: the ingress queue is full")

// ingress holds delivered envelopes, one behind the other in one buffer.
type ingress struct {
	queue fifo[arrival]
	buf   []byte
}

type arrival struct {
	from     wire.PeerID
	at       int64
	pos, len int      // in buf
	awaited  *awaited // in place of bytes: all that it waited for is here
}

// Deliver takes an envelope that came from a peer, as the channel has proven.
// The bytes are borrowed until it returns.
func (n *Node) Deliver(now int64, from wire.PeerID, envelope []byte) error {
	n.advance(now)
	in := &n.ingress
	switch {
	case len(envelope) > n.limits.Wire.Envelope:
		return &wire.LimitError{What: "envelope", Got: uint64(len(envelope)), Max: uint64(n.limits.Wire.Envelope)}
	case in.queue.n >= n.limits.Ingress || len(in.buf)+len(envelope) > n.limits.IngressBytes:
		n.stats.IngressFull++
		return fmt.Errorf("envelope from %v: %w", from, ErrIngressFull)
	}
	in.queue.push(arrival{from: from, at: n.now, pos: len(in.buf), len: len(envelope)})
	in.buf = append(in.buf, envelope...)
	return nil
}

// forget drops what came from a peer on an earlier connection and was not read:
// its numbers mean nothing on the new one, where all of it comes again.
func (n *Node) forget(from wire.PeerID) {
	q := &n.ingress.queue
	for range q.n {
		if a := q.pop(); a.from != from {
			q.push(a)
		}
	}
	n.held = slices.DeleteFunc(n.held, func(h heldEnvelope) bool { return h.from == from })
	n.giveUp(n.peers[from])
}

// keepIngress is the largest buffer that is kept when all of it is read.
const keepIngress = 1 << 20

// drain reads delivered envelopes until the budget is used up.
func (n *Node) drain() {
	in := &n.ingress
	for in.queue.n > 0 && n.ops < n.limits.Ops {
		a := in.queue.pop()
		if a.awaited != nil {
			n.ops += 1 + n.assembled(a.from, a.awaited)
			continue
		}
		n.ops += 1 + n.receive(a.from, in.buf[a.pos:a.pos+a.len])
	}
	if in.queue.n == 0 {
		if cap(in.buf) > keepIngress {
			in.buf = nil
		}
		in.buf = in.buf[:0]
	}
}

// receive reads one envelope, and returns how many fills it had.
//
// The order of the gates is fixed: permission and governor, decoding, the
// channel's duplicates, and for each fill its edge and its execution.
func (n *Node) receive(from wire.PeerID, b []byte) int {
	p, err := n.sender(from)
	if err != nil {
		n.refuse(&peer{id: from}, wire.ExecID{}, 0, err)
		return 0
	}
	e := &n.envelope
	err = wire.ConsumeEnvelope(e, b, &n.limits.Wire)
	if err == nil && !p.wrote(e) {
		err = ErrForged
	}
	if err != nil {
		n.misbehaved(p)
		n.hangUp(p) // its number is not known: there would be a gap for ever
		n.refuse(p, wire.ExecID{}, 0, err)
		return 0
	}
	if n.phase < phaseRunning && n.tooEarly(e) {
		n.hold(from, b)
		return 0
	}
	n.alive(p)
	n.acknowledged(p, e.Ack)
	if e.Seq == 0 {
		return 0
	}
	if p == n.self {
		for i := range e.Fills { // there is nothing to wait for
			if f := &e.Fills[i]; f.Bulk.ID != 0 {
				f.Payload, f.Bulk = n.Bulk(p.id, f.Bulk.ID), wire.Bulk{}
			}
		}
		n.acknowledged(p, e.Seq)
	}
	if hasBulk(e) {
		return n.await(p, e, b)
	}
	return n.admit(p, e, nil)
}

// admit takes an envelope that is whole, but for the fills that are refused
// already.
func (n *Node) admit(p *peer, e *wire.Envelope, refused []bool) int {
	isNew, ok := p.inbox.take(e.Seq)
	p.inbox.due = p.inbox.due || !isNew
	n.schedule(p)
	if !ok || !isNew {
		n.stats.Duplicates++
		return 0
	}
	n.stats.Envelopes++
	good := true
	for i := range e.Fills {
		if refused != nil && refused[i] {
			continue
		}
		if err := n.fill(p, e.Exec, &e.Fills[i]); err != nil {
			id, _ := wire.ConsumeSite(e.Fills[i].Suffix)
			good = n.reject(p, e.Exec, id, err) && good
		}
	}
	if good {
		p.failures = 0
	} else {
		n.misbehaved(p)
	}
	return len(e.Fills)
}

// wrote reports whether an envelope says of itself that it is the peer's, if it
// says whose it is.
func (p *peer) wrote(e *wire.Envelope) bool {
	for _, a := range e.SrcAddrs {
		if id, ok := a.Peer(); ok && id != p.id {
			return false
		}
	}
	return e.Src.IsZero() || e.Src == p.id
}

// reject tells of a fill that was not taken, and reports whether a peer that
// does all right may have sent it.
func (n *Node) reject(p *peer, x wire.ExecID, e wire.EdgeID, err error) bool {
	switch {
	case errors.Is(err, errDuplicate):
		n.stats.Duplicates++
		return true
	case errors.Is(err, errLate):
		n.stats.Late++
		n.tell(Event{Kind: Late, Peer: p.id, Exec: x, Edge: e, Err: err})
		return true
	}
	n.refuse(p, x, e, err)
	return errors.Is(err, errOverflow) || errors.Is(err, errNotAsked)
}

var (
	errDuplicate = errors.New("the fill came before")
	errNoEdge    = errors.New("no such edge here")
)

// fill gives one fill to its frame.
func (n *Node) fill(p *peer, x wire.ExecID, fill *wire.SlotFill) error {
	id, ok := wire.ConsumeSite(fill.Suffix)
	i, found := n.edges[id]
	if !ok || !found {
		return errNoEdge
	}
	e := &n.partition.Edges[i]
	if err := e.check(p, fill); err != nil {
		return err
	}
	f, err := n.frameOf(&n.modules[e.Module], x, p)
	if err != nil {
		return err
	}
	if err := f.takes(e.Cut, p); err != nil {
		return err
	}
	f.senders[e.Cut] = p
	n.stats.Fills++
	n.telemetry.Fill.Add(int64(len(fill.Payload)))
	if err := f.body.Fill(e.Cut, fill); err != nil {
		n.lose(f, e.Cut, err)
		return fmt.Errorf("edge %s: %w", e.Name, err)
	}
	n.arrive(f, e.Cut)
	return nil
}

// check compares a fill with the edge that it came on.
func (e *Edge) check(p *peer, fill *wire.SlotFill) error {
	size := uint64(len(fill.Payload)) + fill.Bulk.Size
	switch {
	case e.From != "" && p.Class != e.From:
		return fmt.Errorf("edge %s: from a peer of class %s, want %s", e.Name, p.Class, e.From)
	case fill.Type != e.Type:
		return fmt.Errorf("edge %s: type %v, want %v", e.Name, fill.Type, e.Type)
	case fill.Trigger != e.Trigger:
		return fmt.Errorf("edge %s: trigger is %v, want %v", e.Name, fill.Trigger, e.Trigger)
	case len(fill.Dims) != e.Dims:
		return fmt.Errorf("edge %s: %d dynamic dimensions, want %d", e.Name, len(fill.Dims), e.Dims)
	case e.Size > 0 && size != uint64(e.Size):
		return fmt.Errorf("edge %s: %d bytes, want %d", e.Name, size, e.Size)
	}
	return nil
}

// frameOf returns the frame of a module in an execution, which it opens if
// there is none and never was.
func (n *Node) frameOf(m *module, x wire.ExecID, p *peer) (*Frame, error) {
	top := m
	if m.Child {
		top = &n.modules[m.Parent]
	}
	f := n.live[liveKey{x, top.index}]
	if f == nil {
		if n.done.has(x, top.index) {
			return nil, errLate
		}
		if n.phase > phaseRunning {
			return nil, errNotRunning
		}
		if f = n.open(top, x, p); f == nil {
			return nil, errOverflow
		}
		if w := n.envelope.Within; w > 0 {
			f.until = n.now + int64(min(w, 1<<62))
		}
		n.begin(f)
	}
	if !m.Child {
		return f, nil
	}
	return n.child(f, m, p)
}

// open makes the frame of a module in an execution.
func (n *Node) open(m *module, x wire.ExecID, from *peer) *Frame {
	if n.frames >= n.limits.Executions {
		n.overflow("executions")
		return nil
	}
	f := n.newFrame(m, x, from)
	n.live[liveKey{x, m.index}] = f
	n.link(f)
	return f
}
