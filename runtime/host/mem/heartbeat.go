package mem

import "github.com/bbgen/bbgen/runtime"

// beat pings the connected peers at intervals, if heartbeats are configured.
func (h *host) beat(node *runtime.Node) {
	every := h.config.Heartbeat
	if every == 0 || h.node != node {
		return
	}
	for _, o := range h.w.hosts {
		if l := h.w.links[pair(h, o)]; l != nil && l.open {
			h.ping(l, o)
		}
	}
	h.plan(h.w.now+every, func() { h.beat(node) })
}

// ping pings one peer, which answers unless it is paused.
func (h *host) ping(l *link, o *host) {
	w, id := h.w, l.id
	h.plan(w.now+2*w.delay(), func() {
		if h.node == nil || o.node == nil || !l.open || l.id != id || o.hung > w.now || w.isCut(h, o) || w.isCut(o, h) {
			return
		}
		h.node.Alive(h.clock(), o.config.Self)
		h.pump()
	})
}
