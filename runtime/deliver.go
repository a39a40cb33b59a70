package runtime

import (
	"github.com/bbgen/bbgen/runtime/internal/container"
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
		err = n.checkClaims(p, e)
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
	p.learn(e.SrcAddrs, &n.limits.Wire)
	n.acknowledged(p, e.Ack)
	p.outbox.MarkReleased(e.Released)
	if e.Seq == 0 && !isUnnumbered(e) {
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

// closed reports whether a bootstrap has not ended, so that only bootstraps may begin.
func (n *Node) closed() bool { return n.phase < phaseRunning || len(n.rebooting) > 0 }

// tooEarly reports whether an envelope has a fill for a module that may not run before the end of the
// bootstrap.
func (n *Node) tooEarly(e *wire.Envelope) bool {
	for i := range e.Fills {
		id, _ := wire.ConsumeSite(e.Fills[i].Suffix)
		if at, ok := n.edges.Get(container.HashEdge(id), id); ok {
			m := &n.modules[n.partition.Edges[at].Module]
			if m.Child {
				m = &n.modules[m.Parent]
			}
			if !m.Bootstrap {
				return true
			}
		}
	}
	return false
}

// keep holds an envelope until the end of the bootstrap. If there is no room, the peer must send it again.
func (n *Node) keep(p *peer, b []byte) {
	if !n.early.hasRoom(p, len(b), &n.limits) {
		n.stats.IngressFull++
		n.overflow("envelopes that wait for the bootstrap")
		n.hangUp(p)
		return
	}
	n.early.add(p, b)
}

// acknowledged drops the envelopes that a peer has acknowledged.
func (n *Node) acknowledged(p *peer, ack uint64) {
	o := &p.outbox
	progressed := false
	for o.IsAcknowledged(ack) {
		progressed = true
		if s, ok := o.Acknowledge(n.now); ok {
			p.rtt.Add(s.RTT)
			n.telemetry.RTT.Add(s.RTT)
			n.measure(p, s)
		}
	}
	if !progressed {
		return
	}
	n.driveAllCalls(p)
	if o.Progressed() {
		n.schedule(p)
	}
}

// readEarly reads the envelopes that came before the end of the bootstrap.
func (n *Node) readEarly() {
	for _, h := range n.early.take() {
		if h.from.hungUp {
			continue // the peer sends it again
		}
		if err := n.Deliver(n.now, h.from.id, h.bytes); err != nil {
			n.overflow("ingress")
			n.hangUp(h.from)
		}
	}
}
