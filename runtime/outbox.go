package runtime

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// outbox holds the envelopes for one peer until the peer acknowledges them.
//
// Invariant: the envelopes' numbers are consecutive, and the last one is seq; the first sent of them have been
// sent on the present connection.
type outbox struct {
	queue   container.Fifo[*envelope]
	open    *envelope // the values that the running block has sent so far; nil: none
	apart   *envelope // the values that it has sent last in another execution; nil: none
	sent    int
	seq     uint64
	inQueue bool   // the peer is in Node.sending
	heavy   uint64 // the first envelope sent and not acknowledged that has bulk fills; 0: none
	heavies int    // how many such envelopes there are
	ahead   int    // their bytes
	timer   bool   // a resend timer is set
	rto     int64  // ns; doubles while no acknowledgement comes
}

// envelope is a message for a peer, kept until it is acknowledged.
type envelope struct {
	seq    uint64 // on the present connection, from 1
	epoch  uint64 // the first snapshot that holds its cause
	exec   wire.ExecID
	until  int64 // the deadline of its execution; 0: none
	fills  []outFill
	bytes  int // of their payloads
	sentAt int64
	again  bool // it was sent more than once, so its acknowledgement gives no round-trip time
	heavy  bool // it has a fill that is fetched as bulk
	begins bool // it is the first that its frame sends to the peer
}

type outFill struct {
	edge    int
	payload *payload
	few     [4]uint64 // the dimensions, if there are few
	many    []uint64  // the dimensions, if there are more
	ndims   int
	bulk    bool // the payload is not in the envelope: see [Node.split]
}

func (f *outFill) dims() []uint64 {
	if f.many != nil {
		return f.many
	}
	return f.few[:f.ndims]
}

// add appends a fill to an envelope.
//
// Invariant: the elements behind the fills of a reused envelope are zero.
func (e *envelope) add(edge int, p *payload, dims []uint64) {
	if k := len(e.fills); k < cap(e.fills) {
		e.fills = e.fills[:k+1]
	} else {
		e.fills = append(e.fills, outFill{})
	}
	f := &e.fills[len(e.fills)-1]
	f.edge, f.payload, f.ndims = edge, p, len(dims)
	if copy(f.few[:], dims) < len(dims) {
		f.many = slices.Clone(dims)
	}
}

// payload is bytes that several envelopes share. They do not change while they are in an envelope: [Node.Send]
// says who owns them.
type payload struct {
	data   []byte         // nil: the blob has them
	blob   wire.Blob      // the file or large data of the payload; nil: neither
	memory *tensor.Memory // the memory of data if it has a reference count, with a reference
	own    bool           // data is a copy whose memory is reused
	pins   bool           // the memory is counted in the node's pins
	refs   int
	bulk   wire.Bulk // its name as bulk
}

func (p *payload) size() int {
	if p.blob != nil {
		return int(p.blob.Size())
	}
	return len(p.data)
}

// opened is an envelope of the running block, which is sent when the block has ended.
type opened struct {
	to *peer
	e  *envelope
}

// rewind makes all unacknowledged envelopes go out again on a new connection, with numbers from 1. The receiver
// recognizes those that it got on the old connection by edge, sender and execution.
func (o *outbox) rewind() {
	for i := range o.queue.Len() {
		e := *o.queue.At(i)
		e.seq, e.again = uint64(i+1), e.again || i < o.sent
	}
	o.seq, o.sent, o.rto = uint64(o.queue.Len()), 0, 0
	o.weigh()
}

// Send sends a value of a block to peers. The bytes are copied once, or stored in the host's [Spool], before it
// returns. All values that a block sends to one peer are sent in one envelope, when the block has ended.
func (n *Node) Send(f *Frame, edge int, to []wire.PeerID, data []byte, dims ...uint64) {
	n.stage(f, nil, edge, to, sent{data: data}, dims)
}

// SendKept is [Node.Send] for a value that the frame keeps, in memory with a reference count, or with a nil m.
// A [tensor.Large] value is not copied, and must not be changed any more.
func (n *Node) SendKept(f *Frame, edge int, to []wire.PeerID, m *tensor.Memory, data []byte, dims ...uint64) {
	n.stage(f, nil, edge, to, sent{data: data, memory: m, final: tensor.AreLarge(len(data))}, dims)
}

// SendLent is [Node.Send] for a value that a component lends. A [tensor.Large] value is copied unless its
// memory has a reference count.
func (n *Node) SendLent(f *Frame, edge int, to []wire.PeerID, m *tensor.Memory, data []byte, dims ...uint64) {
	n.stage(f, nil, edge, to, sent{data: data, memory: m, final: m != nil && tensor.AreLarge(len(data))}, dims)
}

// sent is a value that a block sends.
type sent struct {
	data   []byte
	memory *tensor.Memory // the memory of data, if it has a reference count
	final  bool           // the value does not change any more
	pins   bool           // the memory is counted in the node's pins
}

// blob returns the value if it is final; nil if the caller may change it.
func (v *sent) blob() wire.Blob {
	if !v.final {
		return nil
	}
	return wire.HeldIn(v.memory, v.data)
}

// SendApart is [Node.Send] of a value in a separate execution, which [Node.NewExecution] returns. Values that
// are sent in the same one, one after the other, travel in one envelope.
func (n *Node) SendApart(f *Frame, x wire.ExecID, edge int, to []wire.PeerID, data []byte, dims ...uint64) {
	n.stage(f, &x, edge, to, sent{data: data}, dims)
}

// stage adds a value to the envelopes of the running block, or of a separate execution.
func (n *Node) stage(f *Frame, x *wire.ExecID, edge int, to []wire.PeerID, v sent, dims []uint64) {
	var shared *payload
	if !n.partition.Edges[edge].Trigger && n.ledger.Admits(nil, ledger.Payloads, int64(len(v.data))) {
		shared = n.newPayload(v)
	}
	for _, id := range to {
		p := n.peer(id)
		err := n.mayGo(p, len(v.data))
		if class := n.partition.Edges[edge].To; err == nil && class != "" && !classes.Is(p.Class, class) {
			err = fmt.Errorf("%w: to a peer of class %s, want %s", ErrEdge, p.Class, class)
		}
		if err != nil {
			n.tell(Event{Kind: Refused, Module: f.module.Name, Exec: f.exec, Peer: id, Edge: n.partition.Edges[edge].ID, N: 1, Err: fmt.Errorf("to peer %v: %w", id, err)})
			continue
		}
		if shared != nil {
			shared.refs++
		}
		n.openTo(p, f, x).add(edge, shared, dims)
	}
	if shared != nil {
		n.ledger.Add(nil, ledger.Payloads, int64(shared.size()))
	}
	if shared != nil && shared.refs == 0 {
		n.release(shared)
	}
}

// mayGo returns an error if a payload of size bytes may not be kept for a peer.
func (n *Node) mayGo(p *peer, size int) error {
	switch {
	case p == nil:
		return ErrUnknownPeer
	case p.blocked:
		return ErrBlocked
	case !n.ledger.Admits(&p.uses, ledger.Payloads, int64(size)):
		n.overflow("outbound bytes")
		return fmt.Errorf("%w: %d bytes are not acknowledged, %d by the peer, and %d more should go", ErrOverflow, n.ledger.Used(ledger.Payloads), p.uses.Used(ledger.Payloads), size)
	}
	return nil
}

// Unacknowledged returns how many bytes of payloads are kept for a peer until it acknowledges them.
func (n *Node) Unacknowledged(id wire.PeerID) int {
	if p := n.peer(id); p != nil {
		return int(p.uses.Used(ledger.Payloads))
	}
	return 0
}

func (n *Node) newPayload(v sent) *payload {
	if blob := n.spool.Keep(v.data, v.blob()); blob != nil {
		return &payload{blob: blob}
	}
	return n.inMemory(v)
}

// inMemory makes a payload of a value whose bytes have been counted, in memory.
func (n *Node) inMemory(v sent) *payload {
	switch {
	case v.final:
		v.memory.Retain()
		return &payload{data: v.data, blob: wire.HeldIn(v.memory, v.data), memory: v.memory, pins: v.pins}
	case tensor.AreLarge(len(v.data)):
		c := wire.Copied(v.data, len(v.data) > n.limits.Wire.Chunk) // that is bulk
		return &payload{data: c.Bytes(), blob: c, memory: c.Memory()}
	}
	var p *payload
	if k := len(n.payloads); k > 0 {
		p, n.payloads = n.payloads[k-1], n.payloads[:k-1]
	} else {
		p = &payload{own: true}
	}
	p.data = append(p.data[:0], v.data...)
	return p
}

// release releases a payload that the Node does not need any more.
func (n *Node) release(p *payload) {
	n.ledger.Add(nil, ledger.Payloads, -int64(p.size()))
	switch {
	case p.data == nil && p.blob != nil:
		p.blob.Release()
	case p.own && p.blob == nil: // otherwise a host may still read it
		n.payloads = append(n.payloads, p)
	default:
		if p.pins {
			n.pins.release(p.memory)
		}
		p.memory.Release()
	}
}

// openTo returns the envelope for a peer to which the running block may add fills, of its own execution or
// another one.
func (n *Node) openTo(p *peer, f *Frame, x *wire.ExecID) *envelope {
	o := &p.outbox
	switch {
	case x == nil && o.open != nil:
		return o.open
	case x != nil && o.apart != nil && o.apart.exec == *x:
		return o.apart
	}
	e := n.newEnvelope()
	if x == nil {
		e.exec, e.until = f.exec, f.until
		e.begins = f.tell(p)
		o.open = e
	} else {
		e.exec = *x
		o.apart = e
	}
	n.opened = append(n.opened, opened{p, e})
	return e
}

// flush enqueues the values that a block has sent: one envelope for each peer, and one for each separate
// execution.
func (n *Node) flush() {
	for i, o := range n.opened {
		o.to.outbox.open, o.to.outbox.apart, n.opened[i] = nil, nil, opened{}
		n.enqueue(o.to, o.e)
	}
	n.opened = n.opened[:0]
}

// unsend drops the values that a failed block has sent.
func (n *Node) unsend() {
	for i, o := range n.opened {
		o.to.outbox.open, o.to.outbox.apart, n.opened[i] = nil, nil, opened{}
		n.free(o.e)
	}
	n.opened = n.opened[:0]
}

func (n *Node) newEnvelope() *envelope {
	var e *envelope
	if k := len(n.envelopes); k > 0 {
		e, n.envelopes = n.envelopes[k-1], n.envelopes[:k-1]
	} else {
		e = &envelope{}
	}
	e.epoch = n.checkpoint.Epoch()
	return e
}

// free returns an envelope to the pool.
func (n *Node) free(e *envelope) {
	for i := range e.fills {
		if p := e.fills[i].payload; p != nil {
			if p.refs--; p.refs == 0 {
				n.release(p)
			}
		}
		e.fills[i] = outFill{}
	}
	fills := e.fills[:0]
	*e = envelope{}
	e.fills = fills
	n.envelopes = append(n.envelopes, e)
}

// Final is the size in bytes from which on the payload of an outgoing envelope does not change as long as there
// are references to its memory. A host may keep such a payload beyond the next call.
const Final = tensor.Large

// enqueue puts an envelope into a peer's outbox, if there is room.
func (n *Node) enqueue(p *peer, e *envelope) {
	if n.ledger.Admits(&p.uses, ledger.Envelopes, 1) {
		n.put(p, e)
		return
	}
	n.stats.EnvelopesLost++
	n.overflow("outbound")
	n.tell(Event{Kind: Refused, Peer: p.id, Exec: e.exec, N: uint64(len(e.fills)),
		Err: fmt.Errorf("to peer %v: %w: %d envelopes are not acknowledged, %d by the peer", p.id, ErrOverflow, n.ledger.Used(ledger.Envelopes), p.uses.Used(ledger.Envelopes))})
	n.free(e)
}

func (n *Node) put(p *peer, e *envelope) {
	for i := range e.fills {
		if x := e.fills[i].payload; x != nil {
			e.bytes += x.size()
		}
	}
	n.ledger.Add(&p.uses, ledger.Envelopes, 1)
	p.uses.Add(ledger.Payloads, int64(e.bytes))
	p.outbox.seq++
	e.seq = p.outbox.seq
	p.outbox.queue.Push(e)
	n.schedule(p)
}

// schedule makes this Poll examine a peer's outbox when it emits.
func (n *Node) schedule(p *peer) {
	if !p.outbox.inQueue {
		p.outbox.inQueue = true
		n.sending.Push(p)
	}
}

// discard frees an envelope that is not in a peer's outbox any more.
func (n *Node) discard(p *peer, e *envelope) {
	n.ledger.Add(&p.uses, ledger.Envelopes, -1)
	p.uses.Add(ledger.Payloads, -int64(e.bytes))
	n.free(e)
}

// acknowledged drops the envelopes that a peer has acknowledged.
func (n *Node) acknowledged(p *peer, ack uint64) {
	o := &p.outbox
	progress := false
	for o.sent > 0 { // an envelope that was not sent cannot have arrived
		e := *o.queue.At(0)
		if e.seq > ack {
			break
		}
		if !e.again {
			p.rtt.add(n.now - e.sentAt)
			n.telemetry.RTT.Add(n.now - e.sentAt)
		}
		o.queue.Pop()
		o.sent--
		n.discard(p, e)
		progress = true
	}
	if progress {
		n.driveAll(p)
		o.rto = 0
		o.weigh()
		if o.sent < o.queue.Len() { // it waited for the acknowledgement
			n.schedule(p)
		}
	}
}
