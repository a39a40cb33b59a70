package runtime

import (
	"context"
	"io/fs"
)

// Env is what a host tells a partition, and its components, of the peer that
// they run on: all of the world that they may touch.
type Env struct {
	Context context.Context // of the peer, for commands: done when it stops; nil never is
	Data    fs.FS           // the peer's data; nil if it was given none
	Config  []byte          // the program's own part of the peer's configuration, JSON; nil if there is none
	Seed    uint64          // of the program; [SeedOf] makes the peer's own of it
	Class   string          // of the peer
	Rank    int             // among the peers of its class
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
