package runtime

import (
	"slices"

	"github.com/bbgen/bbgen/runtime/limits"
)

// early holds the envelopes for modules that may not run before the end of the bootstrap. They are not acknowledged, and
// count in the limits of the ingress queue.
type early struct {
	list  []heldEnvelope
	bytes int
}

// heldEnvelope is an envelope for a module that may not run yet.
type heldEnvelope struct {
	from  *peer
	bytes []byte
}

// hasRoom reports whether an envelope of size bytes of a peer fits the limits.
func (e *early) hasRoom(p *peer, size int, l *Limits) bool {
	return len(e.list) < l.Ingress && limits.InFairShare(p.early, size, e.bytes, l.IngressBytes)
}

// add adds a copy of an envelope of a peer.
func (e *early) add(p *peer, b []byte) {
	e.list = append(e.list, heldEnvelope{p, slices.Clone(b)})
	e.bytes += len(b)
	p.early += len(b)
}

// take removes and returns all envelopes.
func (e *early) take() []heldEnvelope {
	list := e.list
	for _, h := range list {
		h.from.early = 0
	}
	e.list, e.bytes = nil, 0
	return list
}

// drop drops the envelopes of a peer.
func (e *early) drop(p *peer) {
	e.list = slices.DeleteFunc(e.list, func(h heldEnvelope) bool { return h.from == p })
	e.bytes -= p.early
	p.early = 0
}
