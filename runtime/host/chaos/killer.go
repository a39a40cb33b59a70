package chaos

import (
	"math/rand/v2"
	"time"
)

// Recovery is how long a killed peer is away.
const Recovery = time.Second

// Calm is the time without a round after which peers are killed as after a round.
const Calm = 10 * time.Second

// A Killer chooses which peers to kill.
type Killer struct {
	p    float64
	dice *rand.Rand
}

// NewKiller returns a Killer that kills a peer with probability p each time. The same seed gives the same
// choices.
func NewKiller(p float64, seed uint64) *Killer {
	return &Killer{p, rand.New(rand.NewPCG(seed, 0xc4a05))}
}

// A Victim is a peer that may be killed.
type Victim struct {
	Class string
	Up    bool
}

// Victims returns the indices of the peers to kill in a round. At least one peer of each class survives, so
// that classes of one peer are never killed. Random numbers are drawn for all peers, independent of their
// state.
func (k *Killer) Victims(peers []Victim) []int {
	up := map[string]int{}
	for _, p := range peers {
		if p.Up {
			up[p.Class]++
		}
	}
	var out []int
	for i, p := range peers {
		if k.dice.Float64() < k.p && p.Up && up[p.Class] > 1 {
			up[p.Class]--
			out = append(out, i)
		}
	}
	return out
}
