package peer

import (
	"time"

	"github.com/bbgen/bbgen/runtime"
)

// waste is a rate limit of what a peer sends that nobody can use: answers to executions that
// are over, and what is refused. Each message to the peer allows some, so that no peer which
// answers what it is asked exceeds the limit, however late it is. What exceeds it is read
// slowly: the processor time that it costs is the other peers'.
type waste struct{ bucket }

const (
	wasteBurst = 100
	wasteRate  = 100                   // a second
	wasteAsked = 4                     // for each message to the peer
	wastePause = 10 * time.Millisecond // before more is read of a peer that exceeds the limit
)

// asked allows more waste, as the peer is sent something that it may answer.
func (w *waste) asked() { w.tokens += wasteAsked }

// exceeds notes a message that nobody can use, and reports whether there were too many.
func (w *waste) exceeds(now time.Time) bool { return !w.take(now, wasteBurst, wasteRate) }

// isWaste reports whether an event tells of something that a peer has sent in vain.
func isWaste(e *runtime.Event) bool { return e.Kind == runtime.Late || e.Kind == runtime.Refused }

// wasted has a peer read slowly whose messages are in vain.
func (h *host) wasted(e *runtime.Event) {
	l := h.links[e.Peer]
	if l != nil && l.conn != nil && l.waste.exceeds(time.Now()) {
		l.conn.slow.Store(true)
	}
}

// rest waits before more is read of a peer that has sent too much in vain. It is false when
// the host ends.
func (c *conn) rest() bool {
	if !c.slow.Swap(false) {
		return true
	}
	select {
	case <-time.After(wastePause):
		return true
	case <-c.h.ctx.Done():
		return false
	}
}
