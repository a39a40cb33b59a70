// Package load contains the component that makes the vectors of peers and checks their sums.
package load

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Algorithms are the measured algorithms, in their order in each round.
var Algorithms = []string{"direct", "tree", "halving", "ring", "pairwise"}

// Peers is the number of peers.
const Peers = 4

// Step is a sequence of rounds of one size.
type Step struct {
	Elements, Rounds int
	Only             string // the first algorithm to measure; those before it would take too long
}

// Plan lists the measured steps: rounds of 4 KiB, 1 MiB and 16 MiB. The first round of each is a warm-up.
var Plan = []Step{{1 << 10, 16, "direct"}, {1 << 18, 8, "direct"}, {1 << 22, 4, "halving"}}

// Rounds returns the total number of rounds.
func Rounds() (n int) {
	for _, s := range Plan {
		n += s.Rounds
	}
	return n
}

// Of returns the step of a round, and whether it is the first round of the step.
func Of(round int64) (s Step, first bool) {
	for _, s = range Plan {
		if round < int64(s.Rounds) {
			return s, round == 0
		}
		round -= int64(s.Rounds)
	}
	return s, false
}

// Runs reports whether an algorithm is measured in a step.
func (s Step) Runs(algorithm int) bool {
	for i, a := range Algorithms {
		if a == s.Only {
			return algorithm >= i
		}
	}
	return false
}

// Load is the component.
type Load struct {
	rank int
	x    tensor.Dense[float32] // the value of the current round
}

// Open stores the rank of the peer.
func (l *Load) Open(env runtime.Env) error {
	l.rank = env.Rank
	return nil
}

// Make returns the vector of the peer: each element is its rank plus 1.
func (l *Load) Make(round, algorithm int64) (tensor.Dense[float32], error) {
	s, _ := Of(round)
	if !s.Runs(int(algorithm)) {
		s.Elements = 1
	}
	if len(l.x.Data) != s.Elements {
		l.x.Memory().Release()
		l.x = tensor.NewDense[float32](s.Elements)
		for i := range l.x.Data {
			l.x.Data[i] = float32(l.rank + 1)
		}
	}
	return l.x, nil
}

// Check compares a sum with the expected one.
func (l *Load) Check(sum tensor.Dense[float32]) (bool, error) {
	const want = Peers * (Peers + 1) / 2
	for i, x := range sum.Data {
		if x != want {
			return false, fmt.Errorf("element %d of %d is %v, want %d", i, len(sum.Data), x, want)
		}
	}
	return true, nil
}

// AppendBinary appends nothing, as there is no state.
func (l *Load) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary ignores its argument, as there is no state.
func (l *Load) UnmarshalBinary([]byte) error { return nil }
