package runtime

import "github.com/bbgen/bbgen/runtime/wire"

// emit queues the outputs of a cycle.
func (n *Node) emit() {
	for n.sending.Len() > 0 {
		p := n.sending.Pop()
		p.outbox.inQueue = false
		n.emitTo(p)
	}
	if n.results.Len() > 0 {
		n.checkpoint.Await()
	}
	if n.mayCheckpoint() {
		n.checkpoint.Asked()
		n.out.Push(output{kind: Checkpoint})
	}
}

func (n *Node) emitTo(p *peer) {
	o := &p.outbox
	if !p.connected || p.blocked {
		if !p.blocked && !p.dialling && !p.waiting && (o.queue.Len() > 0 || n.sought(p.Class) || n.awaited(p) || n.computesWith(p)) {
			p.dialling = true
			n.out.Push(output{kind: Dial, peer: p})
		}
		return
	}
	if !n.config.Durable {
		p.inbox.Volatile()
	} else if p.inbox.Unsafe() && p != n.self {
		n.checkpoint.Await()
	}
	spoke := false
	for o.sent < o.queue.Len() && !p.paused {
		e := *o.queue.At(o.sent)
		if n.config.Durable && !n.checkpoint.IsDurable(e.epoch) && p != n.self {
			n.checkpoint.Await()
			break
		}
		if n.split(p, e); o.holds(e) {
			break
		}
		o.sent++
		e.sentAt = n.now
		if e.heavy {
			o.load(e)
		}
		n.stats.Sent++
		if p == n.self {
			n.loop(e)
			continue
		}
		spoke = true
		x := n.out.Add()
		x.kind, x.peer, x.envelope = Send, p, e
	}
	if p != n.self && !spoke && p.inbox.Owes() {
		n.out.Push(output{kind: Send, peer: p})
	}
	p.inbox.Heard()
	n.watch(p)
}

// loop delivers an envelope of the Node to itself through ingress, like any other.
func (n *Node) loop(e *envelope) {
	n.fillEnvelope(n.self, e)
	q := n.intakeOf(n.self)
	q.makeRoom(n.sent.Size())
	at := len(q.buf)
	q.buf = wire.AppendEnvelope(q.buf, &n.sent)
	n.arrived(q, arrival{len: len(q.buf) - at})
}

// take converts a waiting output to an Output, which is zero.
func (n *Node) take(out *Output, o *output) {
	out.Kind, out.Bulk = o.kind, o.bulk
	if o.peer != nil {
		out.Peer = o.peer.id
	}
	switch o.kind {
	case Send:
		n.fillEnvelope(o.peer, o.envelope)
		out.Envelope = &n.sent
	case Run:
		r := &n.commands.table[o.command>>32]
		n.enterRound(r.frame, r.frame.module.Cuts[r.cut].Slot)
		out.Command, out.Task = o.command, r.frame.body.Task(r.cut)
	}
}

// fillEnvelope sets n.sent to the message for a peer.
func (n *Node) fillEnvelope(p *peer, e *envelope) {
	s := &n.sent
	s.Reset()
	s.Ack = p.inbox.Ack()
	if e == nil {
		return
	}
	s.Exec, s.Seq = e.exec, e.seq
	if e.until > 0 {
		s.Within = uint64(max(e.until-n.now, 1))
	}
	for i := range e.fills {
		x := &e.fills[i]
		edge := &n.partition.Edges[x.edge]
		if w := uint64(edge.Within); w > 0 && (s.Within == 0 || w < s.Within) {
			s.Within = w
		}
		f := s.AddFill()
		f.Suffix, f.Trigger, f.Type, f.Dims = n.suffixes[x.edge], edge.Trigger, edge.Type, x.dims()
		switch {
		case x.bulk:
			f.Bulk = x.payload.bulk
		case x.payload != nil:
			f.Payload, f.Blob = x.payload.data, x.payload.blob
		}
	}
}

// watch sets a timer to send unacknowledged envelopes again, on a channel that loses envelopes.
func (n *Node) watch(p *peer) {
	o := &p.outbox
	if n.config.Resend == 0 || o.sent == 0 || o.timer || p == n.self {
		return
	}
	o.timer = true
	if o.rto == 0 {
		o.rto = max(p.rtt.bound(n.config.Resend), minResend)
	}
	n.setPeerTimer(p, resendPeer, n.now+o.rto)
}

const minResend = 10e6 // ns

// resend sends envelopes again that have waited for their acknowledgement too long.
func (n *Node) resend(p *peer) {
	o := &p.outbox
	o.timer = false
	if !p.connected || o.sent == 0 {
		return
	}
	if wait := o.rto - (n.now - (*o.queue.At(0)).sentAt); o.rto > 0 && wait > 0 { // the envelope has moved on since
		o.timer = true
		n.setPeerTimer(p, resendPeer, n.now+wait)
		return
	}
	for i := range o.sent {
		(*o.queue.At(i)).again = true
	}
	n.stats.Resent += uint64(o.sent)
	o.sent = 0
	o.weigh()
	o.rto = min(2*max(o.rto, minResend), int64(maxDelay))
	n.schedule(p)
}
