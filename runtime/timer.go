package runtime

import "github.com/bbgen/bbgen/runtime/internal/ledger"

// timerKind is the effect of a timer.
type timerKind uint8

const (
	wakeFrame   timerKind = iota // a TimerCut gets its value
	openModule                   // an execution of Module.Every begins
	cutDeadline                  // a cut point counts as missing
	cutOverdue                   // a gather takes longer than its module's gathers usually do
	resendPeer                   // no acknowledgement came
	retryPeer                    // a peer may be dialed again
	endLease                     // a disconnected peer has not come back
)

// timer is an entry of a heap. Timers of an ended frame remain in the heap and are recognized by their
// generation.
type timer struct {
	at    int64
	seq   uint64 // breaks ties in the order of creation
	kind  timerKind
	gen   uint32
	cut   int // or the number of a module
	frame *Frame
	peer  *peer
}

// timers is a binary heap, earliest first.
//
// [Limits.Timers] bounds the timers of frames, and each peer has a share. The other timers are never refused,
// as they would not be set again: each peer and each module has one or two.
type timers struct {
	heap   []timer
	frames int // how many belong to frames
}

func (h *timers) less(i, j int) bool {
	a, b := &h.heap[i], &h.heap[j]
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}

func (h *timers) add(n *Node, t timer) {
	if t.frame != nil {
		if !h.roomFor(n, t.frame.owner) {
			n.overflow("timers")
			n.lose(t.frame, t.cut, ErrOverflow)
			return
		}
		n.countTimers(t.frame, 1)
	}
	n.timerSeq++
	t.seq = n.timerSeq
	h.push(t)
}

// roomFor reports whether there is room for a frame's timer in the share of a peer, or in the node's own.
func (h *timers) roomFor(n *Node, owner *peer) bool {
	if h.frames >= n.limits.Timers {
		h.sweep()
	}
	if h.frames >= n.limits.Timers {
		return false
	}
	return owner == nil || owner == n.self || n.ledger.Admits(&owner.uses, ledger.Timers, 1)
}

// countTimers counts timers of a frame that has not ended.
func (n *Node) countTimers(f *Frame, more int) {
	f.timers += more
	n.ledger.Add(f.owner.share(), ledger.Timers, int64(more))
}

func (h *timers) push(t timer) {
	if t.frame != nil {
		h.frames++
	}
	h.heap = append(h.heap, t)
	for i := len(h.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !h.less(i, up) {
			break
		}
		h.heap[i], h.heap[up] = h.heap[up], h.heap[i]
		i = up
	}
}

// sweep removes the timers of frames that have ended.
func (h *timers) sweep() {
	old := h.heap
	h.heap, h.frames = old[:0], 0
	for _, t := range old {
		if !t.stale() {
			h.push(t)
		}
	}
	clear(old[len(h.heap):])
}

// due removes and returns the first timer if it is due.
func (h *timers) due(now int64) (timer, bool) {
	if len(h.heap) == 0 || h.heap[0].at > now {
		return timer{}, false
	}
	t := h.heap[0]
	if t.frame != nil {
		h.frames--
	}
	last := len(h.heap) - 1
	h.heap[0] = h.heap[last]
	h.heap[last] = timer{}
	h.heap = h.heap[:last]
	for i := 0; ; {
		down := 2*i + 1
		if down >= last {
			break
		}
		if down+1 < last && h.less(down+1, down) {
			down++
		}
		if !h.less(down, i) {
			break
		}
		h.heap[i], h.heap[down] = h.heap[down], h.heap[i]
		i = down
	}
	return t, true
}

// rang records that a timer was removed.
func (n *Node) rang(t *timer) {
	if t.frame != nil && !t.stale() {
		n.countTimers(t.frame, -1)
	}
}

// stale reports whether a timer belongs to an ended frame.
func (t *timer) stale() bool { return t.frame != nil && (t.frame.gen != t.gen || t.frame.ended) }

// next returns the time of the first timer that is not stale.
func (h *timers) next() (int64, bool) {
	for len(h.heap) > 0 && h.heap[0].stale() {
		h.due(h.heap[0].at)
	}
	if len(h.heap) == 0 {
		return 0, false
	}
	return h.heap[0].at, true
}
