package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/bbgen/bbgen/runtime/wire"
)

// Env is what a host tells a partition, and its components, of the peer that
// they run on: all of the world that they may touch.
type Env struct {
	Context context.Context // of the peer, for commands: done when it stops; nil never is
	Data    fs.FS           // the peer's data; nil if it was given none
	Config  []byte          // the program's own part of the peer's configuration, JSON; nil if there is none
	Seed    uint64          // of the program; [random.SeedOf] makes the peer's own of it
	Class   string          // of the peer
	Rank    int             // among the peers of its class

	// Random is numbers that nobody else can guess, as Seed is known to all: of them come
	// keys, and noise that hides something. Only a simulator's follow from its seed.
	Random   io.Reader
	Identity Identity // of the peer; nil: it cannot show others who it is
}

// Identity is who a peer is to those whom it reaches through others, that may lie.
type Identity interface {
	Self() wire.PeerID
	Sign(message []byte) []byte
	Verify(from wire.PeerID, message, signature []byte) bool // that from has signed the message
}

// Secret is 32 bytes that nobody else can guess.
func (e *Env) Secret() (secret [32]byte, err error) {
	if e.Random == nil {
		return secret, errors.New("the host has no randomness that others cannot guess: set Random in the runtime.Env")
	}
	if _, err := io.ReadFull(e.Random, secret[:]); err != nil {
		return secret, fmt.Errorf("randomness of the host: %w", err)
	}
	return secret, nil
}

// Opener is a component that wants to know where it runs before it is used.
type Opener interface{ Open(Env) error }

// Done returns the context of the peer's commands.
func (e *Env) Done() context.Context {
	if e.Context == nil {
		return context.Background()
	}
	return e.Context
}
