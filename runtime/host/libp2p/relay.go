package libp2p

import (
	libp2ppeer "github.com/libp2p/go-libp2p/core/peer"
	"github.com/multiformats/go-multiaddr"

	"github.com/bbgen/bbgen/runtime/wire"
)

// guests decides for which peers this one relays: only admitted peers may make reservations. Other peers can
// connect to those with a reservation, as a peer with an invitation must be able to; the limits of the
// reservation bound the cost.
type guests struct{ admitted func(wire.PeerID) bool }

// AllowReserve reports whether a peer may make a reservation.
func (g guests) AllowReserve(id libp2ppeer.ID, _ multiaddr.Multiaddr) bool { return g.knows(id) }

// AllowConnect reports whether a peer may be reached through this one. It always may, if it has a reservation.
func (g guests) AllowConnect(_ libp2ppeer.ID, _ multiaddr.Multiaddr, to libp2ppeer.ID) bool {
	return g.knows(to)
}

func (g guests) knows(id libp2ppeer.ID) bool {
	p, err := idFromLibp2p(id)
	return err == nil && g.admitted != nil && g.admitted(p)
}
