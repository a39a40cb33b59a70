package runtime

import "github.com/bbgen/bbgen/runtime/wire"

// windowSize is how many executions in a row of one origin are told apart. What
// lies that far behind the newest one counts as finished.
const windowSize = 1024

// finished remembers which executions a module has run, so that a fill that
// comes after the end does not begin one again.
type finished struct {
	windows map[originKey]*window
	order   []originKey // oldest first
	lastKey originKey
	last    *window // of lastKey
}

type originKey struct {
	origin      wire.PeerID
	incarnation uint64
	module      int
}

// window has a bit for each of the numbers from base on. All before base are
// finished.
type window struct {
	base uint64
	bits [windowSize / 64]uint64
}

func (d *finished) find(x wire.ExecID, module int) *window {
	k := originKey{x.Origin, x.Incarnation, module}
	if d.last == nil || k != d.lastKey {
		d.lastKey, d.last = k, d.windows[k]
	}
	return d.last
}

// mark remembers an execution. The oldest origins are forgotten when there are
// more than limit.
func (d *finished) mark(x wire.ExecID, module, limit int) {
	w := d.find(x, module)
	if w == nil {
		w = d.add(originKey{x.Origin, x.Incarnation, module}, limit)
	}
	w.mark(x.Number)
}

func (d *finished) add(k originKey, limit int) *window {
	if d.windows == nil {
		d.windows = map[originKey]*window{}
	}
	if len(d.order) >= max(limit, 1) {
		delete(d.windows, d.order[0])
		d.order = d.order[1:]
	}
	w := &window{}
	d.windows[k] = w
	d.order = append(d.order, k)
	d.lastKey, d.last = k, w
	return w
}

// has reports whether an execution is finished.
func (d *finished) has(x wire.ExecID, module int) bool {
	w := d.find(x, module)
	return w != nil && w.has(x.Number)
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
