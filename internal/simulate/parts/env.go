package parts

import (
	"crypto/sha256"
	"fmt"

	"github.com/bbgen/bbgen/runtime"
)

// Env is what components know of the peer that they run on. Their noise follows from it.
func Env(seed uint64, class string, rank int) runtime.Env {
	secret := sha256.Sum256(fmt.Append(nil, seed, class, rank))
	return runtime.Env{Seed: seed, Class: class, Rank: rank, Random: always(secret)}
}

// always is a secret that all components of a peer have in common, in whatever order they
// ask for it.
type always [sha256.Size]byte

func (a always) Read(b []byte) (int, error) { return copy(b, a[:]), nil }
