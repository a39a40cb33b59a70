package peer

import (
	"time"

	"github.com/bbgen/bbgen/runtime"
)

// tell passes an event of the node to all receivers.
func (h *host) tell(e runtime.Event) {
	h.task.follow(h, e)
	h.feed.Follow(e)
	h.calls.Follow(e)
	h.wasted(&e)
	switch e.Kind {
	case runtime.Phase:
		h.phase(e.Name)
	case runtime.Emitted:
		if h.program.Private {
			break
		}
		h.emitted(e)
		of := ""
		if e.Exec.Origin != h.config.Self {
			of = h.nameOf(e.Exec.Origin)
		}
		h.out.Value(e, of)
	case runtime.Finished:
		h.latest = max(h.latest, e.Exec.Number)
		if e.Exec.Origin == h.config.Self {
			h.round = e.Exec.Number
		}
	}
	if !h.program.Private || e.Err != nil || e.Kind != runtime.Emitted && e.Kind != runtime.Finished {
		h.write(e)
	}
	h.progress.follow(h, e)
	if h.program.Tell != nil {
		h.program.Tell(e)
	}
}

// write writes an event, unless its rate limit is exceeded.
func (h *host) write(e runtime.Event) {
	var dropped uint64
	if brought(e.Kind) {
		var ok bool
		if dropped, ok = h.logLimits.pass(complaint{e.Kind.String() + e.Name, e.Peer}, time.Now()); !ok {
			return
		}
	}
	h.logEvent(e, dropped)
	h.eventLine(e, dropped)
	h.past(e, dropped)
}

// wasted counts an event that reports a useless message of a peer.
func (h *host) wasted(e *runtime.Event) {
	if l := h.links[e.Peer]; l != nil && (e.Kind == runtime.Late || e.Kind == runtime.Refused) {
		l.Waste.Note()
	}
}
