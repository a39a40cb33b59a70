package channel

import (
	"context"
	"net"

	"github.com/bbgen/bbgen/runtime/wire"
)

// Network opens connections. It need not know who is at their other end, nor keep
// anybody from reading or changing what goes over them; what comes is in order, or the
// connection ends.
type Network interface {
	// Listen waits for connections at an address.
	Listen(at wire.Address) (Listener, error)

	// Dial opens a connection to an address, where a peer is said to be; the zero peer
	// is nobody in particular.
	Dial(ctx context.Context, at wire.Address, to wire.PeerID) (net.Conn, error)

	// Close ends what is left when all connections and listeners are closed.
	Close() error
}

// Listener is where connections are accepted.
type Listener interface {
	net.Listener
	Addresses() []wire.Address // where it can be dialled, each with the peer's id
}
