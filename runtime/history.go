package runtime

import (
	"slices"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/wire"
)

// historyKey identifies the executions of a module that an incarnation of a peer has begun.
type historyKey struct {
	origin      wire.PeerID
	incarnation uint64
	module      int
}

func (k *historyKey) hash() uint64 {
	return container.Hash(container.HashPeer(k.origin), k.incarnation<<16^uint64(k.module))
}

func keyOf(x *wire.ExecID, module int) historyKey {
	return historyKey{x.Origin, x.Incarnation, module}
}

// history records the executions of one historyKey: the live ones, by their numbers, and the finished ones, so
// that a fill after the end does not begin an execution again.
type history struct {
	key      historyKey
	origin   *peer // nil if the origin was not admitted when the history began
	live     container.Table[uint64, *Frame]
	finished []*finishedBy
	top      uint64 // no execution with a higher number has begun
}

// finishedBy is the finished executions of a history that one initiator had begun here: their origin, or a peer
// that took part in them and continued them. The statements of a peer about executions of others affect only
// that peer: otherwise a peer could make the fills of others look late.
type finishedBy struct {
	of *history
	by *peer // nil: the node itself, or its own executions
	window
}

// histories holds all histories of a Node. A history exists as long as it has live frames or remembered
// executions.
type histories struct {
	all     container.Table[historyKey, *history]
	own     container.Fifo[*finishedBy] // begun by the node; those that a peer began are in its own list
	holders []*peer                     // the peers with remembered executions
	kept    int                         // the number of all remembered entries
	last    *history                    // the one found last: consecutive calls often need the same
}

// of returns the history that an execution of a module belongs to, or nil if there
// is none.
func (d *histories) of(x *wire.ExecID, module int) *history {
	if h := d.last; h != nil && h.key.module == module && h.key.incarnation == x.Incarnation && h.key.origin == x.Origin {
		return h
	}
	return d.find(keyOf(x, module))
}

// find returns a history, or nil if there is none.
func (d *histories) find(k historyKey) *history {
	h, ok := d.all.Get(k.hash(), k)
	if ok {
		d.last = h
	}
	return h
}

// begin adds a new history.
func (d *histories) begin(k historyKey, origin *peer) *history {
	h := &history{key: k, origin: origin}
	d.all.Put(k.hash(), k, h)
	d.last = h
	return h
}

// finish records that an execution has finished that a peer had begun.
func (d *histories) finish(h *history, by *peer, number uint64, limit int) {
	h.top = max(h.top, number)
	if len(h.finished) > 0 && h.finished[0].by == by { // the usual case
		h.finished[0].mark(number)
		return
	}
	d.window(h, by, limit).mark(number)
}

// window returns the window of finished executions that a peer had begun. If there are more than limit windows,
// the peer's oldest is forgotten, or the oldest of the peer with the most.
func (d *histories) window(h *history, by *peer, limit int) *window {
	for _, v := range h.finished {
		if v.by == by {
			return &v.window
		}
	}
	list, has := d.by(by), 0
	if by != nil {
		has = list.Len()
	}
	if !limits.InFairShare(has, 1, d.kept, max(limit, 1)) {
		d.forget(by)
	}
	v := &finishedBy{of: h, by: by}
	if by != nil && list.Len() == 0 {
		d.holders = append(d.holders, by)
	}
	list.Push(v)
	h.finished = append(h.finished, v)
	d.kept++
	return &v.window
}

// by returns the remembered entries of a peer, the oldest first.
func (d *histories) by(p *peer) *container.Fifo[*finishedBy] {
	if p == nil {
		return &d.own
	}
	return &p.finished
}

// forget removes the oldest entry of a peer, or of the peer with the most if it has none.
func (d *histories) forget(by *peer) {
	if d.by(by).Len() == 0 {
		by = nil
		for _, p := range d.holders {
			if p.finished.Len() > d.by(by).Len() {
				by = p
			}
		}
	}
	list := d.by(by)
	if list.Len() == 0 {
		return
	}
	oldest := list.Pop()
	d.kept--
	if by != nil && list.Len() == 0 {
		d.holders = slices.DeleteFunc(d.holders, func(p *peer) bool { return p == by })
	}
	h := oldest.of
	h.finished = slices.DeleteFunc(h.finished, func(v *finishedBy) bool { return v == oldest })
	d.tidy(h)
}

// tidy drops a history that is not needed any more.
func (d *histories) tidy(h *history) {
	if len(h.finished) > 0 || h.live.Len() > 0 {
		return
	}
	d.all.Remove(h.key.hash(), h.key)
	if d.last == h {
		d.last = nil
	}
}

// add records a live frame; [histories.remove] removes it.
func (h *history) add(f *Frame) {
	f.history = h
	h.top = max(h.top, f.exec.Number)
	h.live.Put(container.HashInRow(f.exec.Number), f.exec.Number, f)
}

// remove removes a live frame, and its history if that is not needed any more.
func (d *histories) remove(f *Frame) {
	f.history.live.Remove(container.HashInRow(f.exec.Number), f.exec.Number)
	d.tidy(f.history)
}

// frame returns the live frame of an execution, or nil.
func (h *history) frame(number uint64) *Frame {
	if h == nil || number > h.top {
		return nil
	}
	f, _ := h.live.Get(container.HashInRow(number), number)
	return f
}

// over reports whether an execution has finished, for fills of the peer from.
func (h *history) over(number uint64, from *peer) bool {
	if h == nil || number > h.top {
		return false
	}
	for _, v := range h.finished {
		if v.has(number) || number < v.base && (v.by == nil || v.by == from || v.by.id == h.key.origin) {
			return true
		}
	}
	return false
}

// windowSize is how many consecutive executions of one history are tracked individually. Executions that far
// behind the newest one count as finished, for the initiator of the newest one.
const windowSize = 1024

// window has a bit for each number from base on. All numbers before base are finished.
type window struct {
	base uint64
	bits [windowSize / 64]uint64
}

func (w *window) mark(number uint64) {
	if number < w.base {
		return
	}
	if number-w.base >= 2*windowSize {
		w.base = (number - windowSize + 64) &^ 63
		clear(w.bits[:])
	}
	for number-w.base >= windowSize {
		copy(w.bits[:], w.bits[1:])
		w.bits[len(w.bits)-1] = 0
		w.base += 64
	}
	i := number - w.base
	w.bits[i/64] |= 1 << (i % 64)
}

// has reports whether a number from base on was marked.
func (w *window) has(number uint64) bool {
	i := number - w.base // a large value if number is before base
	return i < windowSize && w.bits[i/64]&(1<<(i%64)) != 0
}
