package peer

import (
	"fmt"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// slow is how long a connected peer may be silent or awaited before the page reports it.
const slow = 2 * time.Second

// troubles describes the problems of peers: why a peer is missing, or in what way it is slow.
func (h *host) troubles() map[wire.PeerID]string {
	out := map[wire.PeerID]string{}
	now := h.now()
	for id, l := range h.links {
		switch isUp := h.node.IsUp(id); {
		case !isUp && l.err != nil:
			out[id] = l.err.Error()
		case !isUp && l.since.IsZero():
			out[id] = "it has not been here yet"
		case !isUp:
			out[id] = "it is gone"
		case l.conn != nil:
			if silent := l.conn.silent(now); silent > max(slow, 2*l.conn.heartbeat()) {
				out[id] = fmt.Sprintf("silent for %v", silent.Round(time.Second))
			}
		}
	}
	h.node.Waits(func(w *runtime.Wait) bool {
		if since := time.Duration(now - w.Since); since > slow {
			for _, id := range w.Peers {
				if _, ok := out[id]; !ok {
					out[id] = fmt.Sprintf("%s of %s waits for it for %v", w.Cut, w.Module, since.Round(time.Second))
				}
			}
		}
		return true
	})
	return out
}
