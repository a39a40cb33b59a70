package runtime

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// receive reads one envelope, which may be in memory with a reference count, and returns its number of fills.
//
// The order of the checks is fixed: admission and governor, decoding, duplicates on the channel, and for each
// fill its edge and its execution.
func (n *Node) receive(p *peer, b []byte, m *tensor.Memory) int {
	if err := n.checkIgnored(p); err != nil {
		n.dropIgnored(p.id, err)
		return 0
	}
	e := &n.envelope
	err := wire.ConsumeEnvelope(e, b, &n.limits.Wire)
	if err == nil {
		err = p.checkClaims(e)
	}
	if err != nil {
		n.misbehaved(p)
		n.hangUp(p) // its number is unknown: there would be a gap for ever
		n.refuse(p, wire.ExecID{}, 0, err)
		return 0
	}
	if n.closed() && n.tooEarly(e) {
		n.keep(p, b)
		return 0
	}
	n.alive(p)
	n.acknowledged(p, e.Ack)
	p.outbox.MarkReleased(e.Released)
	if e.Seq == 0 {
		return 0
	}
	if p == n.self {
		return n.own(p, e)
	}
	if hasBulk(e) {
		return n.await(p, e, b)
	}
	if m == nil {
		return n.admit(p, e, nil)
	}
	markInMemory(e, m)
	n.lent = m
	fills := n.admit(p, e, nil)
	n.lent = nil
	releasePayloads(e)
	return fills
}

// markInMemory records that the large payloads of an envelope are in memory with a reference count.
func markInMemory(e *wire.Envelope, m *tensor.Memory) {
	for i := range e.Fills {
		if f := &e.Fills[i]; tensor.AreLarge(len(f.Payload)) {
			f.Blob = wire.HeldIn(m, f.Payload)
		}
	}
}

// dropIgnored drops messages of a peer that is ignored. If it has violated the protocol, that was reported then.
func (n *Node) dropIgnored(from wire.PeerID, err error) {
	if errors.Is(err, ErrIgnored) {
		n.stats.Refused++
		return
	}
	n.refuse(&peer{id: from}, wire.ExecID{}, 0, err)
}

// own reads an envelope of the Node to itself: there is nothing to wait for.
func (n *Node) own(p *peer, e *wire.Envelope) int {
	for i := range e.Fills {
		if f := &e.Fills[i]; f.Bulk.ID != 0 {
			setPayload(f, p.outbox.Whole(f.Bulk.ID))
			f.Blob.Retain()
		}
	}
	fills := n.admit(p, e, nil)
	ack := p.inbox.MayAck(e.Seq)
	if n.acknowledged(p, ack); ack < e.Seq {
		p.outbox.MarkReleased(e.Seq)
	}
	for i := range e.Fills {
		if x := e.Fills[i].Blob; x != nil {
			x.Release()
		}
	}
	releasePayloads(e)
	return fills
}

// admit handles a complete envelope, except the fills that were already refused.
func (n *Node) admit(p *peer, e *wire.Envelope, refused []bool) int {
	isNew, ok := p.inbox.Take(e.Seq)
	n.schedule(p)
	if !ok || !isNew {
		n.stats.Duplicates++
		return 0
	}
	n.stats.Envelopes++
	good := true
	var r rejections
	for i := range e.Fills {
		if refused != nil && refused[i] {
			continue
		}
		if err := n.fill(p, &e.Exec, &e.Fills[i]); err != nil {
			good = n.reject(&r, &e.Fills[i], err) && good
		}
	}
	n.reportRejected(p, e, &r)
	if good {
		p.failures = 0
	} else {
		n.misbehaved(p)
	}
	return len(e.Fills)
}

// edgeOf returns the edge of a fill, if the peer may send on it.
func (n *Node) edgeOf(p *peer, fill *wire.SlotFill) (*Edge, error) {
	id, ok := wire.ConsumeSite(fill.Suffix)
	i, found := n.edges.Get(container.HashEdge(id), id)
	if !ok || !found {
		return nil, ErrNoEdge
	}
	e := &n.partition.Edges[i]
	return e, e.check(p, fill)
}

// mayContinue returns an error if a peer may not continue an execution on an edge.
func (n *Node) mayContinue(p *peer, x *wire.ExecID, e *Edge) error {
	if x.Origin == p.id || x.Origin == n.self.id || n.mayCarry(e, x.Origin) {
		return nil
	}
	return fmt.Errorf("%w: it is of %v", ErrOrigin, x.Origin)
}

// mayCarry reports whether executions of a third peer may come on an edge. Executions of an unknown origin may,
// if those of some other class may.
func (n *Node) mayCarry(e *Edge, origin wire.PeerID) bool {
	p := n.peer(origin)
	return slices.ContainsFunc(e.Origins, func(class string) bool { return p == nil || p.is(class) })
}

// fill passes one fill to its frame.
func (n *Node) fill(p *peer, x *wire.ExecID, fill *wire.SlotFill) error {
	e, err := n.edgeOf(p, fill)
	if err != nil {
		return err
	}
	if e.Collective != nil {
		return n.fillCall(p, e, fill)
	}
	h := n.histories.of(x, n.modules[e.Module].top)
	if h == nil || h.origin != p && h.origin != n.self {
		if err := n.mayContinue(p, x, e); err != nil {
			return err
		}
	}
	f, err := n.frameOf(h, &n.modules[e.Module], x, p)
	if err != nil {
		return err
	}
	if err := f.checkFillable(e.Cut, p); err != nil {
		return err
	}
	if fill.Lost != "" {
		return n.fillLost(f, e, p, fill.Lost)
	}
	f.senders[e.Cut] = p
	switch {
	case !isFile(fill.Blob):
		err = n.hold(f, e, len(fill.Payload))
	case e.InParts:
		n.holdFile(f, int64(fill.Len()))
	default:
		err = errNotLoaded
	}
	if err != nil {
		n.lose(f, e.Cut, err) // it is not sent again
		return err
	}
	n.stats.Fills++
	n.telemetry.Fill.Add(int64(fill.Len()))
	n.traceBytes(f, e.Cut, int(fill.Len()))
	if i, ok := n.edges.Get(container.HashEdge(e.ID), e.ID); ok {
		n.flows[i].add(int64(fill.Len()))
	}
	if err := f.body.Fill(e.Cut, fill); err != nil {
		n.lose(f, e.Cut, err)
		return err
	}
	n.arrive(f, e.Cut)
	return nil
}

// check returns an error unless a fill fits its edge.
func (e *Edge) check(p *peer, fill *wire.SlotFill) error {
	switch {
	case e.From != "" && !p.is(e.From):
		return fmt.Errorf("%w: from a peer of class %s, want %s", ErrEdge, p.Class, e.From)
	case fill.Lost != "":
		return e.checkLost()
	case fill.Type != e.Type:
		return fmt.Errorf("%w: type %v, want %v", ErrEdge, fill.Type, e.Type)
	case fill.Trigger != e.Trigger:
		return fmt.Errorf("%w: trigger is %v, want %v", ErrEdge, fill.Trigger, e.Trigger)
	case len(fill.Dims) != e.Dims:
		return fmt.Errorf("%w: %d dynamic dimensions, want %d", ErrEdge, len(fill.Dims), e.Dims)
	case e.Size > 0 && fill.Len() != uint64(e.Size):
		return fmt.Errorf("%w: %d bytes, want %d", ErrEdge, fill.Len(), e.Size)
	case e.Most > 0 && fill.Len() > uint64(e.Most):
		return fmt.Errorf("%w: %d bytes, want at most %d", ErrEdge, fill.Len(), e.Most)
	}
	return nil
}

// frameOf returns the frame of a module in an execution. It opens the frame if there is none and never was.
func (n *Node) frameOf(h *history, m *module, x *wire.ExecID, p *peer) (*Frame, error) {
	f := h.frame(x.Number)
	if f == nil {
		if h.over(x.Number, p) {
			return nil, ErrLate
		}
		if err := n.mayOpen(m, x, p); err != nil {
			return nil, err
		}
		if f = n.open(&n.modules[m.top], x, p); f == nil {
			return nil, fmt.Errorf("%w: %d executions, %d of the peer's", ErrOverflow, n.ledger.Used(ledger.Frames), p.uses.Used(ledger.Frames))
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
func (n *Node) open(m *module, x *wire.ExecID, from *peer) *Frame {
	if !n.ledger.Admits(from.share(), ledger.Frames, 1) {
		n.overflow("executions")
		return nil
	}
	f := n.newFrame(m, x, from)
	n.addLive(f)
	return f
}

// Deliver delivers an envelope from a peer that the channel has authenticated. The bytes are borrowed until it
// returns.
func (n *Node) Deliver(now int64, from wire.PeerID, envelope []byte) error {
	n.advance(now)
	p, err := n.senderOf(from, len(envelope))
	if p != nil {
		n.ingress.written(p, append(n.ingress.space(p, len(envelope)), envelope...))
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
		n.ingress.add(p, arrival{len: len(envelope), borrowed: &borrowed{envelope, m, done}})
	case err == nil:
		done()
	}
	return err
}

// senderOf returns the peer that has sent an envelope of size bytes, or nil if it is ignored, and an error if
// there is no room for the envelope.
func (n *Node) senderOf(from wire.PeerID, size int) (*peer, error) {
	if size > n.limits.Wire.Envelope {
		return nil, &wire.LimitError{What: "envelope", Got: uint64(size), Max: uint64(n.limits.Wire.Envelope)}
	}
	p, err := n.sender(from)
	if err != nil {
		n.dropIgnored(from, err)
		return nil, nil
	}
	if !n.ingress.hasRoom(p, size, &n.limits) {
		n.stats.IngressFull++
		return nil, ErrIngressFull
	}
	return p, nil
}

// forget drops unread messages of an earlier connection: their numbers are invalid on the new one, on which all
// of them come again.
func (n *Node) forget(p *peer) {
	for q := p.intake; q != nil && q.queue.Len() > 0; {
		if a, _ := n.ingress.next(q); a.borrowed != nil {
			a.borrowed.done()
		}
	}
	n.early.drop(p)
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
		p := in.turn()
		n.read(p)
		in.end(p)
	}
	in.more = in.n > 0
}

// read reads a peer's messages up to its share of a turn.
func (n *Node) read(p *peer) {
	q := p.intake
	for p.credit > 0 && q.queue.Len() > 0 && n.ops < n.limits.Ops {
		a, b := n.ingress.next(q)
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
