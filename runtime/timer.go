package runtime

import (
	"github.com/bbgen/bbgen/runtime/internal/ledger"
)

// setTimer sets a timer. If there is no room for a frame's timer, its cut point fails.
func (n *Node) setTimer(h *timerHeap, at int64, t timer) {
	if f := t.frame; f != nil {
		if !n.hasTimer(h, f.owner) {
			n.overflow("timers")
			n.lose(f, t.cut, ErrOverflow)
			return
		}
		n.countTimers(f, 1)
	}
	h.add(at, t)
}

// hasTimer reports whether there is room for a frame's timer in the share of a peer, or in the node's own.
func (n *Node) hasTimer(h *timerHeap, owner *peer) bool {
	if h.isFull(n.limits.Timers) {
		return false
	}
	return owner == nil || owner == n.self || n.ledger.Admits(owner.share(), ledger.Timers, 1)
}

// countTimers counts timers of a frame that has not ended.
func (n *Node) countTimers(f *Frame, more int) {
	f.timers += more
	n.ledger.Add(f.owner.share(), ledger.Timers, int64(more))
}

// dueTimer removes and returns the next timer of a heap that is due.
func (n *Node) dueTimer(h *timerHeap) (timer, bool) {
	t, ok := h.due(n.now)
	if ok && t.frame != nil {
		n.countTimers(t.frame, -1)
	}
	return t, ok
}

// setDeadline sets a timer of the engine for a cut point.
func (n *Node) setDeadline(f *Frame, cut int, kind timerKind, at int64) {
	n.setTimer(&n.timers.deadlines, at, timer{kind: kind, cut: cut, frameRef: f.ref()})
}

// setPeerTimer sets a timer of the engine for a peer.
func (n *Node) setPeerTimer(p *peer, kind timerKind, at int64) {
	n.timers.deadlines.add(at, timer{kind: kind, peer: p})
}

// After starts a timer: blocks that wait for the TimerCut run d ns from now.
func (e *Engine) After(f *Frame, cut int, d int64) { e.node().wakeAfter(f, cut, d) }

// wakeAfter sets a TimerCut after d ns.
func (n *Node) wakeAfter(f *Frame, cut int, d int64) {
	n.setTimer(&n.timers.ticks, n.now+d, timer{kind: wakeFrame, cut: cut, frameRef: f.ref()})
}

// setTick sets the timer for the next execution of Module.Every.
func (n *Node) setTick(module int) {
	n.timers.ticks.add(n.now+n.modules[module].Every, timer{kind: openModule, cut: module})
}
