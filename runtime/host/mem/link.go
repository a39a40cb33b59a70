package mem

import (
	"errors"

	"github.com/bbgen/bbgen/runtime/wire"
)

// link is the channel between two hosts. Each time that it opens it is another
// one, with another number: what was on its way on an earlier one is lost.
type link struct {
	w    *Network
	a, b *host
	id   uint64
	open bool
}

// pair names the link of two hosts.
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
)

// dial opens the channel that a host wants, if both can hear each other.
func (w *Network) dial(from, to *host) {
	node := from.node
	w.queue.plan(w.now+2*w.delay(), func() {
		l := w.link(from, to)
		if from.node != node || l.open { // it has died since, or the other was faster
			return
		}
		if to.node == nil || w.isCut(from, to) || w.isCut(to, from) {
			from.node.DialFailed(from.clock(), to.config.Self, errUnreachable)
			from.pump()
			return
		}
		l.id++
		l.open = true
		h, oh := from.node.Hello(), to.node.Hello()
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

// breakUp closes the channel. Both ends hear of it, each in its time.
func (l *link) breakUp() {
	if !l.open {
		return
	}
	l.open = false
	for _, ends := range [2][2]*host{{l.a, l.b}, {l.b, l.a}} {
		h, o := ends[0], ends[1]
		node, id := h.node, l.id
		l.w.queue.plan(l.w.now+l.w.delay(), func() {
			if h.node == nil || h.node != node {
				return
			}
			if l.id == id { // else it has learned from the new channel
				h.node.Disconnected(h.clock(), o.config.Self, errBroken)
				h.pump()
			}
		})
	}
}

// send puts an envelope on its way.
func (w *Network) send(from, to *host, e *wire.Envelope) {
	l := w.link(from, to)
	switch {
	case !l.open || w.isCut(from, to) || w.chance(w.config.Loss):
		return
	case w.chance(w.config.Corrupt):
		l.breakUp()
		return
	}
	b := wire.AppendEnvelope(nil, e)
	copies := 1
	if w.chance(w.config.Duplicate) {
		copies = 2
	}
	id := l.id
	for range copies {
		w.queue.plan(w.now+w.delay(), func() {
			if !l.open || l.id != id || to.node == nil {
				return
			}
			// What does not fit comes again: it is not acknowledged.
			_ = to.node.Deliver(to.clock(), from.config.Self, b)
			to.pump()
		})
	}
}
