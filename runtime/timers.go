package runtime

import "github.com/bbgen/bbgen/runtime/internal/container"

// timerKind is the effect of a timer.
type timerKind uint8

const (
	wakeFrame   timerKind = iota // a TimerCut gets its value
	openModule                   // an execution of Module.Every begins
	cutDeadline                  // a cut point counts as missing
	cutOverdue                   // a gather takes longer than its module's gathers usually do
	resendPeer                   // no acknowledgement came
	retryPeer                    // a peer may be dialed again
	endLease                     // a disconnected peer has not connected again
)

// timer is what a timer belongs to: a frame, a peer, or a module if both are nil.
type timer struct {
	kind timerKind
	cut  int // or the number of a module
	frameRef
	peer *peer
}

// stale reports whether a timer belongs to an ended frame.
func (t *timer) stale() bool { return t.frame != nil && t.ended() }

// timers holds the timers of a Node. Timers of an ended frame remain here until they are due, or until their
// places are needed.
type timers struct {
	ticks     timerHeap // of the program: TimerCuts and Module.Every
	deadlines timerHeap // of the engine, which are due in a later phase of a cycle
}

// next returns the time of the first timer.
func (t *timers) next() (int64, bool) {
	at, ok := t.ticks.next()
	if d, has := t.deadlines.next(); has && (!ok || d < at) {
		return d, true
	}
	return at, ok
}

// timerHeap is a heap of timers.
//
// [Limits.Timers] bounds the timers of frames, and each peer has a share. The other timers are never refused,
// as they would not be set again: each peer and each module has one or two.
type timerHeap struct {
	container.Heap[timer]
	frames int // how many belong to frames
}

func (h *timerHeap) add(at int64, t timer) {
	if t.frame != nil {
		h.frames++
	}
	h.Add(at, t)
}

// due removes and returns the first timer that is not stale, if it is due.
func (h *timerHeap) due(now int64) (timer, bool) {
	if at, ok := h.next(); !ok || at > now {
		return timer{}, false
	}
	return h.pop(), true
}

// next returns the time of the first timer that is not stale.
func (h *timerHeap) next() (int64, bool) {
	for {
		at, t, ok := h.First()
		if !ok || !t.stale() {
			return at, ok
		}
		h.pop()
	}
}

func (h *timerHeap) pop() timer {
	_, t := h.Pop()
	if t.frame != nil {
		h.frames--
	}
	return t
}

// isFull reports whether there are limit timers of frames that have not ended.
func (h *timerHeap) isFull(limit int) bool {
	if h.frames >= limit {
		h.sweep()
	}
	return h.frames >= limit
}

// sweep removes the timers of frames that have ended.
func (h *timerHeap) sweep() {
	h.frames = 0
	h.Keep(func(t *timer) bool {
		if t.frame != nil && !t.stale() {
			h.frames++
		}
		return !t.stale()
	})
}

func (n *Node) advance(now int64) { n.now = max(n.now, now) }
