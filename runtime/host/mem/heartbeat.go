package mem

import "github.com/bbgen/bbgen/runtime"

// beat asks the peers that there is a channel to for a sign of life, again and again, if
// the peer is to look after their health.
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

// ping asks one peer, which answers unless it stands still.
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
