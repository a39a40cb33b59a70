package runtime

import (
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime/classes"
)

// source is where a target draws its random numbers. A peer of several classes has
// one for each, so that it draws what peers of one class would.
type source struct {
	pcg *rand.PCG
	*rand.Rand
}

// sources are those of a peer's classes.
func sources(c *Config, class string) []source {
	var list []source
	for _, one := range classes.Split(class) {
		seed := SeedOf(c.Seed, one, c.Rank)
		pcg := rand.NewPCG(seed, mix(seed))
		list = append(list, source{pcg, rand.New(pcg)})
	}
	return list
}

// Rand returns the source of randomness of the target whose block runs, else of the
// peer's first one. Snapshots hold where it stands.
func (n *Node) Rand() *rand.Rand { return n.sources[n.target].Rand }
