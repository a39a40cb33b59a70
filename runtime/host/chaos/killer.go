package chaos

import (
	"math/rand/v2"
	"time"
)

// Recovery is how long a peer is away that was killed.
const Recovery = time.Second

// Calm is the time without a round after which peers are killed as after one.
const Calm = 10 * time.Second

// Killer chooses whom to kill.
type Killer struct {
	p    float64
	dice *rand.Rand
}

// NewKiller returns one that kills a peer with probability p each time. The same
// seed chooses the same.
func NewKiller(p float64, seed uint64) *Killer {
	return &Killer{p, rand.New(rand.NewPCG(seed, 0xc4a05))}
}

// Victim is a peer that may be killed.
type Victim struct {
	Class string
	Up    bool
}

// Victims are the peers, by their number, that do not survive a round. One of
// each class does, so that classes of one peer are left alone. Dice are thrown
// for all, whatever state they are in.
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
