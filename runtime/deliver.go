package runtime

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// ErrIngressFull is what Deliver says when the Node has too much to read. The
// envelope is not acknowledged, so that the peer sends it again.
var ErrIngressFull = errors.New("runtime: the ingress queue is full")

// ingress holds delivered envelopes, one behind the other in one buffer, and what is
// lent.
type ingress struct {
	queue fifo[arrival]
	buf   []byte
	lent  int // bytes
}

type arrival struct {
	from     wire.PeerID
	pos, len int      // in buf
	loan     *loan    // in place of those
	awaited  *awaited // in place of bytes: all that it waited for is here
}

// loan is an envelope in memory that is to be given back.
type loan struct {
	bytes  []byte
	memory *tensor.Memory // where they are, if it is counted
	done   func()
}

// Deliver takes an envelope that came from a peer, as the channel has proven.
// The bytes are borrowed until it returns.
func (n *Node) Deliver(now int64, from wire.PeerID, envelope []byte) error {
	n.advance(now)
	in := &n.ingress
	if err := n.mayCome(from, len(envelope)); err != nil {
		return err
	}
	a := in.queue.add()
	a.from, a.pos, a.len = from, len(in.buf), len(envelope)
	in.buf = append(in.buf, envelope...)
	return nil
}

// Lend is [Node.Deliver] without a copy. The bytes are borrowed until the Node calls
// done, within a later call of it; if Lend fails they are the caller's. Large values in
// memory that is counted, where m is not nil, are not copied then either.
func (n *Node) Lend(now int64, from wire.PeerID, envelope []byte, m *tensor.Memory, done func()) error {
	n.advance(now)
	if err := n.mayCome(from, len(envelope)); err != nil {
		return err
	}
	a := n.ingress.queue.add()
	a.from, a.loan = from, &loan{envelope, m, done}
	n.ingress.lent += len(envelope)
	return nil
}

// mayCome says why an envelope of so many bytes is not taken, if so.
func (n *Node) mayCome(from wire.PeerID, size int) error {
	in := &n.ingress
	switch {
	case size > n.limits.Wire.Envelope:
		return &wire.LimitError{What: "envelope", Got: uint64(size), Max: uint64(n.limits.Wire.Envelope)}
	case in.queue.n >= n.limits.Ingress || len(in.buf)+in.lent+size > n.limits.IngressBytes:
		n.stats.IngressFull++
		return fmt.Errorf("envelope from %v: %w", from, ErrIngressFull)
	}
	return nil
}

// giveBack gives back what was lent, if anything was.
func (in *ingress) giveBack(l *loan) {
	if l != nil {
		in.lent -= len(l.bytes)
		l.done()
	}
}

// forget drops what came from a peer on an earlier connection and was not read:
// its numbers mean nothing on the new one, where all of it comes again.
func (n *Node) forget(from wire.PeerID) {
	q := &n.ingress.queue
	for range q.n {
		if a := q.pop(); a.from != from {
			q.push(a)
		} else {
			n.ingress.giveBack(a.loan)
		}
	}
	p := n.peer(from)
	n.loseEarly(p)
	for _, a := range p.awaited {
		n.unawait(p, a)
	}
	p.awaited = nil
}

// keepIngress is the largest buffer that is kept when all of it is read.
const keepIngress = 1 << 20

// drain reads delivered envelopes until the budget is used up.
func (n *Node) drain() {
	in := &n.ingress
	for in.queue.n > 0 && n.ops < n.limits.Ops {
		a := in.queue.at(0)
		from, b, lent, awaited := a.from, in.buf[a.pos:a.pos+a.len], a.loan, a.awaited
		in.queue.drop()
		switch {
		case awaited != nil:
			n.ops += 1 + n.assembled(from, awaited)
		case lent != nil:
			n.ops += 1 + n.receive(from, lent.bytes, lent.memory)
			in.giveBack(lent)
		default:
			n.ops += 1 + n.receive(from, b, nil)
		}
	}
	if in.queue.n == 0 {
		if cap(in.buf) > keepIngress {
			in.buf = nil
		}
		in.buf = in.buf[:0]
	}
}

// receive reads one envelope, which may stand in counted memory, and returns how many
// fills it had.
//
// The order of the gates is fixed: permission and governor, decoding, the
// channel's duplicates, and for each fill its edge and its execution.
func (n *Node) receive(from wire.PeerID, b []byte, m *tensor.Memory) int {
	p, err := n.sender(from)
	if err != nil {
		n.unheard(from, err)
		return 0
	}
	e := &n.envelope
	if err = wire.ConsumeEnvelope(e, b, &n.limits.Wire); err == nil {
		err = p.believe(e)
	}
	if err != nil {
		n.misbehaved(p)
		n.hangUp(p) // its number is not known: there would be a gap for ever
		n.refuse(p, wire.ExecID{}, 0, err)
		return 0
	}
	if n.phase < phaseRunning && n.tooEarly(e) {
		n.keep(p, b)
		return 0
	}
	n.alive(p)
	n.acknowledged(p, e.Ack)
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
	stand(e, m)
	fills := n.admit(p, e, nil)
	letGo(e)
	return fills
}

// stand says that the large payloads of an envelope stand in memory that is counted.
func stand(e *wire.Envelope, m *tensor.Memory) {
	for i := range e.Fills {
		if f := &e.Fills[i]; tensor.AreLarge(len(f.Payload)) {
			f.Blob = wire.HeldIn(m, f.Payload)
		}
	}
}

// unheard drops what comes from a peer that is not heard. Of one that broke the
// rules it was told when it did.
func (n *Node) unheard(from wire.PeerID, err error) {
	if errors.Is(err, ErrDeaf) {
		n.stats.Refused++
		return
	}
	n.refuse(&peer{id: from}, wire.ExecID{}, 0, err)
}

// own reads an envelope of the Node's own: there is nothing to wait for.
func (n *Node) own(p *peer, e *wire.Envelope) int {
	for i := range e.Fills {
		if f := &e.Fills[i]; f.Bulk.ID != 0 {
			bring(f, n.Bulk(p.id, f.Bulk.ID))
			f.Blob.Retain()
		}
	}
	n.acknowledged(p, e.Seq)
	fills := n.admit(p, e, nil)
	for i := range e.Fills {
		if x := e.Fills[i].Blob; x != nil {
			x.Release()
		}
	}
	letGo(e)
	return fills
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
	var r rejections
	for i := range e.Fills {
		if refused != nil && refused[i] {
			continue
		}
		if err := n.fill(p, &e.Exec, &e.Fills[i]); err != nil {
			good = n.reject(&r, &e.Fills[i], err) && good
		}
	}
	n.tellRejected(p, &e.Exec, &r)
	if good {
		p.failures = 0
	} else {
		n.misbehaved(p)
	}
	return len(e.Fills)
}

// edgeOf returns the edge that a fill came on, if it may come there.
func (n *Node) edgeOf(p *peer, fill *wire.SlotFill) (*Edge, error) {
	id, ok := wire.ConsumeSite(fill.Suffix)
	i, found := n.edges.get(hashEdge(id), id)
	if !ok || !found {
		return nil, ErrNoEdge
	}
	e := &n.partition.Edges[i]
	return e, e.check(p, fill)
}

// maySpeak says why a peer may not go on with an execution on an edge, if so.
func (n *Node) maySpeak(p *peer, x *wire.ExecID, e *Edge) error {
	if x.Origin == p.id || x.Origin == n.self.id || n.carries(e, x.Origin) {
		return nil
	}
	return fmt.Errorf("%w: it is of %v", ErrOrigin, x.Origin)
}

// carries reports whether executions of a peer that neither sends nor receives come on
// an edge. Those of one that nobody has admitted here may, where others' do at all.
func (n *Node) carries(e *Edge, origin wire.PeerID) bool {
	p := n.peer(origin)
	return slices.ContainsFunc(e.Origins, func(class string) bool { return p == nil || p.is(class) })
}

// fill gives one fill to its frame.
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
		if err := n.maySpeak(p, x, e); err != nil {
			return err
		}
	}
	f, err := n.frameOf(h, &n.modules[e.Module], x, p)
	if err != nil {
		return err
	}
	if err := f.takes(e.Cut, p); err != nil {
		return err
	}
	f.senders[e.Cut] = p
	if fill.Blob != nil && fill.Payload == nil {
		n.holdFile(f, int64(fill.Len()))
	} else {
		err = n.hold(f, len(fill.Payload))
	}
	if err != nil {
		n.lose(f, e.Cut, err) // it does not come again
		return err
	}
	n.stats.Fills++
	n.telemetry.Fill.Add(int64(fill.Len()))
	if err := f.body.Fill(e.Cut, fill); err != nil {
		n.lose(f, e.Cut, err)
		return err
	}
	n.arrive(f, e.Cut)
	return nil
}

// check compares a fill with the edge that it came on.
func (e *Edge) check(p *peer, fill *wire.SlotFill) error {
	switch {
	case e.From != "" && !p.is(e.From):
		return fmt.Errorf("%w: from a peer of class %s, want %s", ErrEdge, p.Class, e.From)
	case fill.Type != e.Type:
		return fmt.Errorf("%w: type %v, want %v", ErrEdge, fill.Type, e.Type)
	case fill.Trigger != e.Trigger:
		return fmt.Errorf("%w: trigger is %v, want %v", ErrEdge, fill.Trigger, e.Trigger)
	case len(fill.Dims) != e.Dims:
		return fmt.Errorf("%w: %d dynamic dimensions, want %d", ErrEdge, len(fill.Dims), e.Dims)
	case e.Size > 0 && fill.Len() != uint64(e.Size):
		return fmt.Errorf("%w: %d bytes, want %d", ErrEdge, fill.Len(), e.Size)
	}
	return nil
}

// frameOf returns the frame of a module in an execution, which it opens if
// there is none and never was.
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
			return nil, fmt.Errorf("%w: %d executions, %d of the peer's", ErrOverflow, n.frames, p.frames)
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
	if !n.roomFor(from) {
		n.overflow("executions")
		return nil
	}
	f := n.newFrame(m, x, from)
	n.know(f)
	return f
}
