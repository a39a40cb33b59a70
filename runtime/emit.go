package runtime

import (
	"github.com/bbgen/bbgen/runtime/internal/outbox"
	"github.com/bbgen/bbgen/runtime/wire"
)

// emit queues the outputs of a cycle.
func (n *Node) emit() {
	for n.scheduled.Len() > 0 {
		p := n.scheduled.Pop()
		p.scheduled = false
		n.emitTo(p)
	}
	if n.reports.results.Len() > 0 {
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
		if !p.blocked && !p.dialing && !p.waiting && (o.Len() > 0 || n.isAwaited(p.Class) || n.awaited(p) || n.computesWith(p)) {
			p.dialing = true
			n.out.Push(output{kind: Dial, peer: p})
		}
		return
	}
	if !n.config.Durable {
		p.inbox.Volatile()
	} else if p.inbox.Unsafe() && p != n.self {
		n.checkpoint.Await()
	}
	spoke := n.tellPlaces(p)
	for e := o.Next(); e != nil && !p.paused; e = o.Next() {
		if n.config.Durable && !n.checkpoint.IsDurable(e.Epoch) && p != n.self {
			n.checkpoint.Await()
			break
		}
		if p == n.self && !n.loadOwn(e) || !o.Send(n.now) {
			break
		}
		n.stats.Sent++
		if p == n.self {
			n.loop(e)
			continue
		}
		spoke = true
		x := n.out.Add()
		x.kind, x.peer, x.envelope = Send, p, e
		if p.unnumbered && (len(n.handed) == 0 || n.handed[len(n.handed)-1] != p) {
			n.handed = append(n.handed, p)
		}
	}
	if p != n.self && !spoke && p.inbox.Owes() {
		n.out.Push(output{kind: Send, peer: p})
	}
	p.inbox.Heard()
	n.watch(p)
}

// tellPlaces tells a peer once on each connection where this one can be dialed, if the host has recorded that.
func (n *Node) tellPlaces(p *peer) bool {
	if p == n.self || p.told || p.paused || len(n.places(nil)) == 0 {
		return false
	}
	p.told = true
	n.out.Push(output{kind: Send, peer: p, places: true})
	return true
}

// loop delivers an envelope of the Node to itself through ingress, like any other.
func (n *Node) loop(e *outbox.Envelope) {
	n.fillEnvelope(n.self, e)
	buf := n.ingress.space(n.self, n.sent.Size())
	n.ingress.written(n.self, wire.AppendEnvelope(buf, &n.sent))
}

// take converts a waiting output to an Output, which is zero.
func (n *Node) take(out *Output, o *output) {
	out.Kind, out.Bulk, out.Value = o.kind, o.bulk, o.value
	if o.peer != nil {
		out.Peer = o.peer.id
	}
	switch o.kind {
	case Send:
		n.fillEnvelope(o.peer, o.envelope)
		if o.places {
			n.sent.SrcAddrs = n.places(n.sent.SrcAddrs)
		}
		out.Envelope = &n.sent
	case Run:
		r := n.commands.find(o.command)
		n.enterRound(r.frame, r.frame.module.Cuts[r.cut].Slot)
		out.Command, out.Task = o.command, r.frame.body.Task(r.cut)
	}
}

// fillEnvelope sets n.sent to the message for a peer.
func (n *Node) fillEnvelope(p *peer, e *outbox.Envelope) {
	s := &n.sent
	s.Reset()
	s.Ack, s.Released = p.inbox.Ack(), p.inbox.Released()
	if e == nil {
		return
	}
	s.Exec, s.Seq, s.Before, s.Request = e.Exec, e.Seq, e.Before, p.answers(e.Exec)
	if e.Until > 0 {
		s.Within = uint64(max(e.Until-n.now, 1))
	}
	for i := range e.Fills {
		x := &e.Fills[i]
		edge := &n.partition.Edges[x.Edge]
		if w := uint64(edge.Within); w > 0 && (s.Within == 0 || w < s.Within) {
			s.Within = w
		}
		f := s.AddFill()
		if f.Lost = x.Lost; f.Lost != "" {
			f.Suffix = n.suffixes[x.Edge]
			continue
		}
		f.Suffix, f.Trigger, f.Type, f.Dims = n.suffixes[x.Edge], edge.Trigger, edge.Type, x.Dims()
		if f.Bulk = x.Bulk(); f.Bulk.ID == 0 && x.Payload != nil {
			f.Payload, f.Blob = x.Payload.Data(), x.Payload.Blob()
		}
	}
}

// watch sets a timer to send unacknowledged envelopes again, on a channel that loses envelopes.
func (n *Node) watch(p *peer) {
	if n.config.Resend == 0 || p == n.self {
		return
	}
	if d, ok := p.outbox.StartTimer(p.rtt.Bound(n.config.Resend)); ok {
		n.setPeerTimer(p, resendPeer, n.now+d)
	}
}

// resend sends envelopes again that have waited for their acknowledgement too long.
func (n *Node) resend(p *peer) {
	if !p.connected {
		p.outbox.StopTimer()
		return
	}
	again, d := p.outbox.TimedOut(n.now, p.rtt.Bound(n.config.Resend))
	if d > 0 {
		n.setPeerTimer(p, resendPeer, n.now+d)
	}
	if again > 0 {
		p.told = false // that may be lost, too
		n.stats.Resent += uint64(again)
		n.schedule(p)
	}
}

// mayCheckpoint reports whether to ask the host for a snapshot now.
func (n *Node) mayCheckpoint() bool { return n.checkpoint.MayAsk() && n.atBoundary() }

// atBoundary reports whether the Node is at a block boundary and no command runs.
func (n *Node) atBoundary() bool {
	return n.frontier.Len()+n.commands.completed.Len()+len(n.opened)+len(n.reports.bus)+n.commands.running == 0 && n.phase != phaseStarting
}

// RequestCheckpoint makes Poll return Checkpoint when all running commands have completed. New commands wait
// until then.
func (n *Node) RequestCheckpoint() { n.checkpoint.Request() }
