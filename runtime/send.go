package runtime

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/internal/outbox"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Final is the size in bytes from which on the payload of an outgoing envelope does not change as long as there
// are references to its memory. A host may keep such a payload beyond the next call.
const Final = tensor.Large

// opened is an envelope of the running block, which is sent when the block has ended.
type opened struct {
	to *peer
	e  *outbox.Envelope
}

// Send sends a value of a block to peers. The bytes are copied once, or stored in the host's [values.Spool], before it
// returns. All values that a block sends to one peer are sent in one envelope, when the block has ended.
func (e *Engine) Send(f *Frame, edge int, to []wire.PeerID, data []byte, dims ...uint64) {
	e.node().addValue(f, nil, edge, to, outbox.Value{Data: data}, dims)
}

// SendKept sends a value that the frame keeps, as [Engine.Send] does, but copies no [tensor.Large] value. M is its memory,
// which has a reference count, or nil. The frame must not change the value any more.
func (e *Engine) SendKept(f *Frame, edge int, to []wire.PeerID, m *tensor.Memory, data []byte, dims ...uint64) {
	e.node().addValue(f, nil, edge, to, outbox.Value{Data: data, Memory: m, Final: tensor.AreLarge(len(data))}, dims)
}

// SendLent sends a value that a component lends, as [Engine.Send] does. A [tensor.Large] value is copied unless its
// memory m has a reference count, as the component may change its values with the next call.
func (e *Engine) SendLent(f *Frame, edge int, to []wire.PeerID, m *tensor.Memory, data []byte, dims ...uint64) {
	e.node().addValue(f, nil, edge, to, outbox.Value{Data: data, Memory: m, Final: m != nil && tensor.AreLarge(len(data))}, dims)
}

// SendApart sends a value, as [Engine.Send] does, in another execution than that of the block: one that
// [Engine.NewExecution] has named. Values that are sent in the same one, one after the other, travel in one envelope.
func (e *Engine) SendApart(f *Frame, x wire.ExecID, edge int, to []wire.PeerID, data []byte, dims ...uint64) {
	e.node().addValue(f, &x, edge, to, outbox.Value{Data: data}, dims)
}

// addValue adds a value to the envelopes of the running block, or of a separate execution.
func (n *Node) addValue(f *Frame, x *wire.ExecID, edge int, to []wire.PeerID, v outbox.Value, dims []uint64) {
	n.receivers = n.receivers[:0]
	e := &n.partition.Edges[edge]
	for _, id := range to {
		if p, err := n.receiver(id, e, len(v.Data)); err == nil {
			n.receivers = append(n.receivers, p)
		} else {
			n.queueEvent(Event{Kind: Refused, Module: f.module.Name, Exec: f.exec, Peer: id, Edge: e.ID, N: 1, Err: fmt.Errorf("to peer %v: %w", id, err)})
		}
	}
	var shared *outbox.Payload
	if len(n.receivers) > 0 && !e.Trigger {
		shared = n.outbox.Payload(&v)
	}
	for _, p := range n.receivers {
		f.sent += int64(len(v.Data))
		n.flows[edge].add(int64(len(v.Data)))
		n.openTo(p, f, x).Add(edge, shared, dims)
	}
	if shared != nil {
		n.outbox.Release(shared)
	}
}

// receiver returns a peer, or an error if a payload of size bytes may not be kept for it.
func (n *Node) receiver(id wire.PeerID, e *Edge, size int) (*peer, error) {
	p := n.peer(id)
	switch {
	case p == nil:
		return nil, ErrUnknownPeer
	case p.blocked:
		return nil, ErrBlocked
	case !n.ledger.Admits(&p.uses, ledger.Payloads, int64(size)):
		n.overflow("outbound bytes")
		return nil, fmt.Errorf("%w: %d bytes are not acknowledged, %d by the peer, and %d more should go", ErrOverflow, n.ledger.Used(ledger.Payloads), p.uses.Used(ledger.Payloads), size)
	case e.To != "" && !classes.Is(p.Class, e.To):
		return nil, fmt.Errorf("%w: to a peer of class %s, want %s", ErrEdge, p.Class, e.To)
	}
	return p, nil
}

// Unacknowledged returns how many bytes of payloads are kept for a peer until it acknowledges them.
func (n *Node) Unacknowledged(id wire.PeerID) int {
	if p := n.peer(id); p != nil {
		return int(p.uses.Used(ledger.Payloads))
	}
	return 0
}

// openTo returns the envelope for a peer to which the running block may add values, of its own execution or
// another one.
func (n *Node) openTo(p *peer, f *Frame, x *wire.ExecID) *outbox.Envelope {
	switch {
	case x == nil && p.open != nil:
		return p.open
	case x != nil && p.separate != nil && p.separate.Exec == *x:
		return p.separate
	}
	e := n.newEnvelope()
	if x == nil {
		e.Exec, e.Until = f.exec, f.until
		e.Begins = f.recordSend(p)
		p.open = e
	} else {
		e.Exec = *x
		p.separate = e
	}
	n.opened = append(n.opened, opened{p, e})
	return e
}

// newEnvelope returns an empty envelope with the present epoch.
func (n *Node) newEnvelope() *outbox.Envelope {
	e := n.outbox.Envelope()
	e.Epoch = n.checkpoint.Epoch()
	return e
}

// flush enqueues the values that a block has sent: one envelope for each peer, and one for each separate
// execution.
func (n *Node) flush() {
	for i, o := range n.opened {
		o.to.open, o.to.separate, n.opened[i] = nil, nil, opened{}
		n.enqueue(o.to, o.e)
	}
	n.opened = n.opened[:0]
}

// discardSent drops the values that a failed block has sent.
func (n *Node) discardSent() {
	for i, o := range n.opened {
		o.to.open, o.to.separate, n.opened[i] = nil, nil, opened{}
		n.outbox.Free(o.e)
	}
	n.opened = n.opened[:0]
}

// enqueue puts an envelope into a peer's outbox, if there is room.
func (n *Node) enqueue(p *peer, e *outbox.Envelope) {
	if n.ledger.Admits(&p.uses, ledger.Envelopes, 1) {
		p.outbox.Put(e)
		n.schedule(p)
		return
	}
	n.stats.EnvelopesLost++
	n.overflow("outbound")
	n.queueEvent(Event{Kind: Refused, Peer: p.id, Exec: e.Exec, N: uint64(len(e.Fills)),
		Err: fmt.Errorf("to peer %v: %w: %d envelopes are not acknowledged, %d by the peer", p.id, ErrOverflow, n.ledger.Used(ledger.Envelopes), p.uses.Used(ledger.Envelopes))})
	n.outbox.Free(e)
}

// schedule makes this Poll examine a peer's outbox when it emits.
func (n *Node) schedule(p *peer) {
	if !p.scheduled {
		p.scheduled = true
		n.scheduled.Push(p)
	}
}
