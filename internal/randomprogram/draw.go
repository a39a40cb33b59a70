package randomprogram

import (
	"errors"
	"math/rand/v2"
	"slices"
)

// Draw draws the program of a seed: steps are added one by one, and those that make it invalid are left out. It returns
// how many were refused, and a failure if that showed a fault.
func Draw(seed uint64) (p Program, refusals int, f *Failure) {
	rng := rand.New(rand.NewPCG(seed, 77))
	p = Program{Seed: seed, Betas: 1 + rng.IntN(3)}
	most := 2 + rng.IntN(14)
	for id := 0; id < 3*most && len(p.Steps) < most; id++ {
		next := p
		next.Steps = append(slices.Clone(p.Steps), steps(rng, id)...)
		_, err := compile(next)
		switch {
		case err == nil:
			p = next
		case errors.As(err, &f):
			return next, refusals, f
		default:
			refusals++
		}
	}
	return p, refusals, nil
}

// steps returns the next step, or the two of a word on two classes.
func steps(rng *rand.Rand, id int) []Step {
	classes := []string{"alpha", "beta"}
	at := rng.IntN(2)
	s := Step{ID: id, Class: classes[at], Word: rng.IntN(len(words)), Seed: rng.Uint64()}
	if rng.IntN(5) == 0 {
		s.Word = -1
	}
	if s.Word < 0 || words[s.Word].reply == nil {
		return []Step{s}
	}
	reply := s
	reply.Class, reply.Reply, reply.Seed = classes[1-at], true, rng.Uint64()
	return []Step{s, reply}
}
