package mem

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// link is the channel between two hosts. Each time it opens it gets a new number: messages in transit on an
// earlier channel are lost.
type link struct {
	w    *Network
	a, b *host
	id   uint64
	open bool
}

// pair identifies the link of two hosts.
func pair(a, b *host) [2]int { return [2]int{min(a.index, b.index), max(a.index, b.index)} }

func (w *Network) link(a, b *host) *link {
	k := pair(a, b)
	l := w.links[k]
	if l == nil {
		l = &link{w: w, a: w.hosts[k[0]], b: w.hosts[k[1]]}
		w.links[k] = l
	}
	return l
}

func (w *Network) isCut(from, to *host) bool { return w.cuts[[2]int{from.index, to.index}] > 0 }

var (
	errUnreachable = errors.New("unreachable")
	errBroken      = errors.New("the channel broke")
	errNoPlace     = errors.New("its address is not known")
)

// dial opens a channel from a host to another one, if both can reach each other.
func (w *Network) dial(from, to *host) {
	node := from.node
	from.plan(w.now+2*w.delay(), func() {
		l := w.link(from, to)
		if from.node != node || l.open { // the host has died since, or the other host was faster
			return
		}
		if w.config.Places && len(node.Address(to.config.Self)) == 0 {
			node.DialFailed(from.clock(), to.config.Self, errNoPlace)
			from.pump()
			return
		}
		if to.node == nil || to.hung > w.now || w.isCut(from, to) || w.isCut(to, from) {
			from.node.DialFailed(from.clock(), to.config.Self, errUnreachable)
			from.pump()
			return
		}
		h, oh := from.node.Hello(), to.node.Hello()
		if err := errors.Join(from.node.Check(to.config.Self, &oh), to.node.Check(from.config.Self, &h)); err != nil { // one of them refuses the other
			w.refused(err, from, to)
			from.node.DialFailed(from.clock(), to.config.Self, err)
			from.pump()
			return
		}
		l.id++
		l.open = true
		if w.Opened != nil {
			w.Opened(from.index, to.index)
		}
		if err := from.node.Connected(from.clock(), to.config.Self, &oh); err != nil {
			w.fail(from, err)
		}
		if err := to.node.Connected(to.clock(), from.config.Self, &h); err != nil {
			w.fail(to, err)
		}
		from.pump()
		to.pump()
	})
}

// refused reports a failure if honest peers refuse each other.
func (w *Network) refused(err error, from, to *host) {
	if w.Forge == nil && !errors.Is(err, runtime.ErrUnknownPeer) && !errors.Is(err, runtime.ErrBlocked) {
		w.fail(from, fmt.Errorf("to node %d: %w", to.index, err))
	}
}

// breakUp closes the channel. Each end is told after its own delay.
func (l *link) breakUp() {
	if !l.open {
		return
	}
	l.open = false
	for _, ends := range [2][2]*host{{l.a, l.b}, {l.b, l.a}} {
		h, o := ends[0], ends[1]
		node, id := h.node, l.id
		h.plan(l.w.now+l.w.delay(), func() {
			if h.node == nil || h.node != node {
				return
			}
			if l.id == id { // otherwise it has been told by the new channel
				h.node.Disconnected(h.clock(), o.config.Self, errBroken)
				h.pump()
			}
		})
	}
}

// send sends an envelope.
func (w *Network) send(from, to *host, e *wire.Envelope) {
	l := w.link(from, to)
	if w.Sent != nil {
		w.Sent(from.index, to.index, l.id, e)
	}
	if w.Forge != nil && w.Forge(from.index, to.index, e) {
		return
	}
	w.transmit(l, from, to, wire.AppendEnvelope(nil, e))
}

// Inject sends bytes on the open channel between two peers, as if the first had sent them.
func (w *Network) Inject(from, to int, b []byte) {
	h, o := w.hosts[from], w.hosts[to]
	w.transmit(w.link(h, o), h, o, b)
}

// transmit passes an envelope to the network.
func (w *Network) transmit(l *link, from, to *host, b []byte) {
	switch {
	case !l.open || w.isCut(from, to) || w.chance(w.config.Loss):
		return
	case w.chance(w.config.Corrupt):
		l.breakUp()
		return
	}
	copies := 1
	if w.chance(w.config.Duplicate) {
		copies = 2
	}
	id := l.id
	for range copies {
		to.plan(w.now+w.delay(), func() {
			if !l.open || l.id != id || to.node == nil {
				return
			}
			// A refused envelope is not acknowledged, so its sender sends it again.
			if to.hand(from.config.Self, b) == nil {
				w.delivered(from, to, id, b)
			}
			to.pump()
		})
	}
}

// hand passes an envelope to the node, and a large one together with its memory, as hosts do that read from a
// stream. The first large value of the envelope is aligned for elements of any type.
func (h *host) hand(from wire.PeerID, b []byte) error {
	if !tensor.AreLarge(len(b)) {
		return h.node.Deliver(h.clock(), from, b)
	}
	m := tensor.NewMemory(len(b) + align)
	at := -uint(wire.PayloadAt(b[:len(b)/2])) % align
	err := h.node.Lend(h.clock(), from, append(m.Bytes()[at:][:0], b...), m, m.Release)
	if err != nil {
		m.Release()
	}
	return err
}

// align is the alignment of the largest element type.
const align = 8

// delivered calls Network.Delivered with an envelope that a peer has accepted.
func (w *Network) delivered(from, to *host, id uint64, b []byte) {
	if w.Delivered == nil {
		return
	}
	var e wire.Envelope
	limits := wire.Default()
	if wire.ConsumeEnvelope(&e, b, &limits) == nil {
		w.Delivered(from.index, to.index, id, &e)
	}
}
