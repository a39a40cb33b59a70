package collective

import (
	"fmt"
	"slices"
)

// Algorithm is an algorithm of a collective.
type Algorithm uint8

// The algorithms. Costs are those of an all-reduce of n bytes on p ranks.
const (
	Auto Algorithm = iota

	// Direct: each rank sends its value to all others: 1 round, (p-1)·n bytes a rank. Scattered segments are sent
	// only to their owners.
	Direct

	// Tree: values go up a binomial tree to the root, the sum goes down: 2⌈log₂ p⌉ rounds, up to ⌈log₂ p⌉·n
	// bytes a rank.
	Tree

	// Halving: recursive halving and doubling: 2 log₂ p rounds, 2(p-1)/p·n bytes a rank. Ranks beyond a power
	// of two send their value to another rank first, which takes 2 more rounds and up to 2n more bytes.
	Halving

	// Ring: around the ring, twice: 2(p-1) rounds, 2(p-1)/p·n bytes a rank.
	Ring

	// Pairwise: each segment is sent to its owner, which adds and sends the sum to all: 2 rounds, 2(p-1)/p·n bytes a
	// rank, concurrently.
	Pairwise
	numAlgorithms
)

var algorithmNames = [numAlgorithms]string{"auto", "direct", "tree", "halving", "ring", "pairwise"}

// String returns the name that [ParseAlgorithm] reads.
func (a Algorithm) String() string {
	if a < numAlgorithms {
		return algorithmNames[a]
	}
	return fmt.Sprintf("Algorithm(%d)", a)
}

// ParseAlgorithm is the inverse of [Algorithm.String].
func ParseAlgorithm(s string) (Algorithm, bool) {
	i := slices.Index(algorithmNames[:], s)
	return Algorithm(max(i, 0)), i >= 0
}

// algorithms returns the algorithms for a spec, the one with the lowest latency first.
func (s *Spec) algorithms() []Algorithm {
	switch {
	case s.Kind == AllReduce && s.Feedback: // one rank rounds a sum, and only it knows the rounding error
		return []Algorithm{Pairwise}
	case s.Kind == AllReduce && s.widens(): // partial sums are wider than the sent values
		return []Algorithm{Direct, Pairwise}
	case s.Kind == AllReduce:
		return []Algorithm{Direct, Tree, Halving, Ring, Pairwise}
	case s.widens():
		return []Algorithm{Direct}
	case s.Kind == ReduceScatter || s.Kind == AllGather:
		return []Algorithm{Direct, Ring}
	case s.Kind == Barrier || s.Kind == Enter:
		return []Algorithm{Direct}
	}
	return []Algorithm{Direct, Tree}
}

func (s *Spec) supports(a Algorithm) bool { return slices.Contains(s.algorithms(), a) }
