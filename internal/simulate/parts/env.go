package parts

import (
	"crypto/sha256"
	"fmt"

	"github.com/bbgen/bbgen/runtime"
)

// Env returns the environment of a component. The component's noise is derived from the arguments.
func Env(seed uint64, class string, rank int) runtime.Env {
	secret := sha256.Sum256(fmt.Append(nil, seed, class, rank))
	return runtime.Env{Seed: seed, Class: class, Rank: rank, Random: always(secret), Data: data()}
}

// always is a secret that is the same for all components of a peer, independent of the order in which they
// request it.
type always [sha256.Size]byte

func (a always) Read(b []byte) (int, error) { return copy(b, a[:]), nil }
