package channel

import (
	"context"
	"net"

	"github.com/bbgen/bbgen/runtime/wire"
)

// A Network opens connections. It need not authenticate or encrypt them; data arrive in order, or the
// connection ends.
type Network interface {
	// Listen waits for connections at an address, with one listener for each way that leads there.
	Listen(at wire.Address) ([]Listener, error)

	// Dial opens a connection to an address at which a peer is expected; the zero peer means any.
	Dial(ctx context.Context, at wire.Address, to wire.PeerID) (net.Conn, error)

	// Close releases all resources after all connections and listeners are closed.
	Close() error
}

// A Listener accepts connections.
type Listener interface {
	net.Listener
	Addresses() []wire.Address // where it can be dialed, each with the peer's id
}
