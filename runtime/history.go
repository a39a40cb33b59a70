package runtime

import "github.com/bbgen/bbgen/runtime/wire"

// historyKey names the executions of a module that an incarnation of a peer has
// begun.
type historyKey struct {
	origin      wire.PeerID
	incarnation uint64
	module      int
}

func keyOf(x *wire.ExecID, module int) historyKey {
	return historyKey{x.Origin, x.Incarnation, module}
}

// history is what is known of such executions: those that live, by their
// numbers, and which have finished, so that a fill that comes after the end does
// not begin one again.
type history struct {
	key      historyKey
	live     table[uint64, *Frame]
	finished window
	top      uint64 // none with a higher number has begun
	kept     bool   // it is among those that are remembered: one of it has finished
}

// histories are all of a Node. One is there as long as it has live frames or is
// remembered.
type histories struct {
	all  table[historyKey, *history]
	kept []*history // oldest first
	last *history   // that was found last: one after the other is asked for again and again
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
	h, ok := d.all.get(k.hash(), k)
	if ok {
		d.last = h
	}
	return h
}

// begin begins one that is not there.
func (d *histories) begin(k historyKey) *history {
	h := &history{key: k}
	d.all.put(k.hash(), k, h)
	d.last = h
	return h
}

// finish remembers that an execution has finished. The oldest histories are
// forgotten when there are more than limit.
func (d *histories) finish(h *history, number uint64, limit int) {
	if !h.kept {
		if len(d.kept) >= max(limit, 1) {
			oldest := d.kept[0]
			oldest.kept, oldest.finished = false, window{}
			d.kept = d.kept[1:]
			d.tidy(oldest)
		}
		h.kept = true
		d.kept = append(d.kept, h)
	}
	h.top = max(h.top, number)
	h.finished.mark(number)
}

// tidy drops a history that nothing needs.
func (d *histories) tidy(h *history) {
	if h.kept || h.live.n > 0 {
		return
	}
	d.all.remove(h.key.hash(), h.key)
	if d.last == h {
		d.last = nil
	}
}

// frame returns the frame of an execution, if it lives.
func (h *history) frame(number uint64) *Frame {
	if h == nil || number > h.top {
		return nil
	}
	f, _ := h.live.get(hashOf(number, 0), number)
	return f
}

// over reports whether an execution has finished.
func (h *history) over(number uint64) bool {
	return h != nil && number <= h.top && h.finished.has(number)
}

// know adds a frame to those that live, unknow takes it out.
func (n *Node) know(f *Frame) {
	if f.history = n.histories.of(&f.exec, f.module.index); f.history == nil {
		f.history = n.histories.begin(keyOf(&f.exec, f.module.index))
	}
	f.history.top = max(f.history.top, f.exec.Number)
	f.history.live.put(hashOf(f.exec.Number, 0), f.exec.Number, f)
	n.link(f)
}

func (n *Node) unknow(f *Frame) {
	f.history.live.remove(hashOf(f.exec.Number, 0), f.exec.Number)
	n.histories.tidy(f.history)
	n.unlink(f)
}

// windowSize is how many executions in a row of one history are told apart. What
// lies that far behind the newest one counts as finished.
const windowSize = 1024

// window has a bit for each of the numbers from base on. All before base are
// finished.
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

func (w *window) has(number uint64) bool {
	if number < w.base {
		return true
	}
	i := number - w.base
	return i < windowSize && w.bits[i/64]&(1<<(i%64)) != 0
}
