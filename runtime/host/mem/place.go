package mem

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/wire"
)

// Place returns the address of peer i in a network with [Config.Places].
func Place(i int) wire.Address {
	return wire.Address(fmt.Sprintf("/dns/mem-%d/tcp/1/p2p/%s", i, PeerID(i)))
}

// again is how long a peer waits before it dials a configured peer again, ns.
const again = 20e6

// dialConfigured records the peer's own address, and dials the peers whose addresses its configuration has.
func (h *host) dialConfigured() {
	if err := h.node.InsertAddress(h.config.Self, string(Place(h.index))); err != nil {
		h.w.fail(h, err)
	}
	for _, c := range h.config.Peers {
		if len(c.Addresses) > 0 {
			h.meet(h.w.byID[c.ID])
		}
	}
}

// meet dials a peer as long as that one does not know where this one is.
func (h *host) meet(o *host) {
	node := h.node
	if o.node != nil && len(o.node.Address(h.config.Self)) == 0 && !h.w.link(h, o).open {
		h.w.dial(h, o)
	}
	h.plan(h.w.now+again+4*h.w.delay(), func() {
		if h.node == node {
			h.meet(o)
		}
	})
}
