package libp2p

import (
	libp2ppeer "github.com/libp2p/go-libp2p/core/peer"
	"github.com/multiformats/go-multiaddr"

	"github.com/bbgen/bbgen/runtime/wire"
)

// guests says for whom the peer relays: places are for peers that are admitted. Whoever
// has no permission reaches those that have a place, as a peer with an invitation must,
// and what that takes is bounded by the place.
type guests struct{ admitted func(wire.PeerID) bool }

// AllowReserve reports whether a peer may have a place.
func (g guests) AllowReserve(id libp2ppeer.ID, _ multiaddr.Multiaddr) bool { return g.knows(id) }

// AllowConnect reports whether a peer may be reached through this one. Where it may, it
// has a place.
func (g guests) AllowConnect(_ libp2ppeer.ID, _ multiaddr.Multiaddr, to libp2ppeer.ID) bool {
	return g.knows(to)
}

func (g guests) knows(id libp2ppeer.ID) bool {
	p, err := idFromLibp2p(id)
	return err == nil && g.admitted != nil && g.admitted(p)
}
