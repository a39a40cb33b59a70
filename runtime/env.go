package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Env is the environment of a partition and its components: the description of their peer, and everything
// outside of the Node that they may use.
type Env struct {
	Context context.Context // of the peer, for commands: done when the peer stops; a nil Context is never done
	Data    fs.FS           // the peer's data folder; may be nil
	Config  []byte          // the program's part of the peer's configuration, JSON; may be nil
	Seed    uint64          // of the program; [SeedOf] derives the peer's own seed from it
	Class   string          // of the peer
	Rank    int             // among the peers of its class

	// Random is a source of unpredictable numbers for keys and for noise, as Seed is known to all. In a
	// simulator they follow from its seed.
	Random   io.Reader
	Identity Identity // of the peer; nil if the peer cannot prove its identity to others
}

// An Identity lets a peer prove its id to peers that it reaches through others, which may be malicious.
type Identity interface {
	Self() wire.PeerID
	Sign(message []byte) []byte
	Verify(from wire.PeerID, message, signature []byte) bool // whether from has signed the message
}

// Secret returns 32 unpredictable bytes.
func (e *Env) Secret() (secret [32]byte, err error) {
	if e.Random == nil {
		return secret, errors.New("the host has no randomness that others cannot guess: set Random in the runtime.Env")
	}
	if _, err := io.ReadFull(e.Random, secret[:]); err != nil {
		return secret, fmt.Errorf("randomness of the host: %w", err)
	}
	return secret, nil
}

// A Peer is the peer that runs a component, as the component's methods see it: the [Node] without what the program and
// the host do. A method that takes a Peer as its first parameter gets it at each call, and must not keep it: a command
// runs beside the Node and has none.
//
// The Node alone implements it. A later version may add methods.
type Peer interface {
	Now() int64        // see [Node.Now]
	Rand() *rand.Rand  // see [Node.Rand]
	Self() wire.PeerID // see [Node.Self]

	Peers(list []wire.PeerID, class string) []wire.PeerID           // see [Node.Peers]
	Healthy(list, peers []wire.PeerID) []wire.PeerID                // see [Node.Healthy]
	ClassOf(id wire.PeerID) (class string, rank int, admitted bool) // see [Node.ClassOf]
	Address(id wire.PeerID) []wire.Address                          // see [Node.Address]

	InsertAddress(id wire.PeerID, addrs ...string) error // see [Node.InsertAddress]
	Allow(PeerConfig) error                              // see [Node.Allow]
	Notify(topic string, value *tensor.Tensor) error     // see [Node.Notify]
}

var _ Peer = (*Node)(nil)

// Opener is implemented by components that need their environment before they are used.
type Opener interface{ Open(Env) error }

// Done returns the context of the peer's commands.
func (e *Env) Done() context.Context {
	if e.Context == nil {
		return context.Background()
	}
	return e.Context
}
