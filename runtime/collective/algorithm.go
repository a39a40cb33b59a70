package collective

import (
	"fmt"
	"math/bits"
	"slices"
)

// Algorithm is an algorithm of a collective.
type Algorithm uint8

// The algorithms. Costs are those of an all-reduce of n bytes on p ranks.
const (
	Auto Algorithm = iota

	// Direct: each rank sends its value to all others, which add in the order of ranks: 1 round, (p-1)·n
	// bytes a rank. Scattered segments are sent only to their owners.
	Direct

	// Tree: values go up a binomial tree to the root, the sum goes down: 2⌈log₂ p⌉ rounds, up to ⌈log₂ p⌉·n
	// bytes a rank.
	Tree

	// Halving: recursive halving and doubling: 2 log₂ p rounds, 2(p-1)/p·n bytes a rank. Ranks beyond a power
	// of two send their value to another rank first, which takes 2 more rounds and up to 2n more bytes.
	Halving

	// Ring: around the ring, twice: 2(p-1) rounds, 2(p-1)/p·n bytes a rank.
	Ring

	// Pairwise: each segment is sent to its owner, which adds in the order of ranks and sends the sum to all: 2
	// rounds, 2(p-1)/p·n bytes a rank, concurrently.
	Pairwise
	numAlgorithms
)

var algorithmNames = [numAlgorithms]string{"auto", "direct", "tree", "halving", "ring", "pairwise"}

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

// The properties of links and processors that the choice of an algorithm assumes: the seconds of a round, the bytes a
// second that a rank sends or receives, and the bytes a second that it adds. The result of a call must not depend on
// what was measured, so they are constants.
const (
	Latency   = 50e-6
	Bandwidth = 1e9
	Addition  = 3e9
)

// pairwiseMost is the largest value for which [Pairwise] is chosen if other algorithms compute the same: all ranks send
// to each rank at the same time, and more would exceed the buffers of switches.
const pairwiseMost = 1 << 20

// Choose returns the algorithm for a call of n bytes on p ranks, of values that have one row.
func (s *Spec) Choose(n, p int) Algorithm { return s.choose(s.sentBytes(n), p) }

// choose returns the algorithm for a call that sends n bytes of each value: the one of the spec, or the one with the
// shortest time; of equal ones the first.
func (s *Spec) choose(n, p int) Algorithm {
	if s.Algorithm != Auto {
		return s.Algorithm
	}
	best, least := Direct, 0.0
	for i, a := range s.algorithms() {
		if a == Pairwise && !s.widens() && n > pairwiseMost {
			continue
		}
		if t := s.time(a, n, p); i == 0 || t < least {
			best, least = a, t
		}
	}
	return best
}

// time returns the estimated seconds of a call. Rounds of different chunks overlap: each round adds the time of one
// chunk to that of all bytes.
func (s *Spec) time(a Algorithm, n, p int) float64 {
	rounds, bytes := s.Cost(a, n, p)
	chunk := float64(min(n/s.segments(a, p), DefaultChunk))
	return float64(rounds)*(Latency+chunk/Bandwidth) + bytes/Bandwidth + s.added(a, n, p)/Addition
}

// added returns how many bytes the busiest rank adds.
func (s *Spec) added(a Algorithm, n, p int) float64 {
	size, part := float64(n), float64(n)*float64(p-1)/float64(p)
	switch {
	case !s.Kind.reduces():
		return 0
	case s.Kind == ReduceScatter || a == Ring || a == Pairwise:
		return part
	case a == Halving && p&(p-1) != 0: // some ranks first add the value of another one
		return size + part
	case a == Halving:
		return part
	case a == Tree:
		return size * float64(bits.Len(uint(p-1)))
	}
	return size * float64(p-1)
}

// Cost returns the number of rounds of a call on p ranks that sends n bytes of each value, and how many bytes
// the busiest rank sends, over all rounds.
func (s *Spec) Cost(a Algorithm, n, p int) (rounds int, bytes float64) {
	if p < 2 || s.Kind == Barrier || s.Kind == Enter {
		return 0, 0
	}
	size, others := float64(n), float64(p-1)
	log := bits.Len(uint(p - 1)) // ⌈log₂ p⌉
	part := size * others / float64(p)
	switch s.Kind {
	case ReduceScatter, AllGather:
		rounds = 1
		if a == Ring {
			rounds = p - 1
		}
		if s.Kind == AllGather { // n is one rank's
			return rounds, size * others
		}
		return rounds, part
	case Broadcast, Reduce:
		if a == Tree {
			return log, size * float64(log)
		}
		return 1, size * others
	}
	switch a {
	case Direct:
		return 1, size * others
	case Tree:
		return 2 * log, 2 * size * float64(log)
	case Halving:
		down := bits.Len(uint(p)) - 1
		power := float64(int(1) << down)
		if 1<<down == p {
			return 2 * down, 2 * part
		}
		return 2*down + 2, 2*size*(power-1)/power + 2*size
	case Pairwise:
		return 2, 2 * part
	}
	return 2 * (p - 1), 2 * part
}

// LowerBound returns how many bytes a rank must send, on average, for an all-reduce of n bytes on p ranks: as
// many as the ring sends.
func LowerBound(n, p int) float64 { return 2 * float64(n) * float64(p-1) / float64(p) }
