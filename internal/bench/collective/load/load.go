// Package load makes the values that workers sum according to a plan, and checks the
// sums.
package load

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Algorithms are the algorithms of the sums of a round, in their order. With auto the library
// chooses.
var Algorithms = []string{"auto", "direct", "tree", "halving", "ring", "pairwise"}

// File is the name of the plan among a worker's data, as JSON.
const File = "plan.json"

// Plan is the sums of all rounds.
type Plan struct {
	Ranks int
	Steps []Step
}

// Step is rounds in which some of the algorithms sum the same number of elements. The other algorithms sum
// one element, so that all workers make the same calls.
type Step struct {
	Elements   int
	Rounds     int64
	Algorithms []string
}

// Rounds returns the number of rounds.
func (p *Plan) Rounds() (n int64) {
	for i := range p.Steps {
		n += p.Steps[i].Rounds
	}
	return n
}

// Of returns the step of a round, and the number of the round in it.
func (p *Plan) Of(round int64) (*Step, int64) {
	for i := range p.Steps {
		if round < p.Steps[i].Rounds {
			return &p.Steps[i], round
		}
		round -= p.Steps[i].Rounds
	}
	return nil, 0
}

// Sums reports whether an algorithm is measured in a step.
func (s *Step) Sums(algorithm string) bool { return slices.Contains(s.Algorithms, algorithm) }

// Load is the component.
type Load struct {
	plan   Plan
	rank   int
	values map[int]tensor.Dense[float32] // by number of elements
}

// Open reads the plan.
func (l *Load) Open(env runtime.Env) error {
	if env.Data == nil {
		return errors.New("no data: want -data DIR, with " + File)
	}
	text, err := fs.ReadFile(env.Data, File)
	if err == nil {
		err = json.Unmarshal(text, &l.plan)
	}
	l.rank, l.values = env.Rank, map[int]tensor.Dense[float32]{}
	return err
}

// Make returns the value of a worker for an algorithm in a round: each element is its rank plus
// 1.
func (l *Load) Make(round, algorithm int64) (tensor.Dense[float32], error) {
	n := 1
	if s, _ := l.plan.Of(round); s != nil && s.Sums(Algorithms[algorithm]) {
		n = s.Elements
	}
	x, made := l.values[n]
	if !made {
		x = tensor.NewDense[float32](n)
		for i := range x.Data {
			x.Data[i] = float32(l.rank + 1)
		}
		l.values[n] = x
	}
	return x, nil
}

// Check compares a sum with the one of all ranks. It is less if ranks are
// lost.
func (l *Load) Check(sum tensor.Dense[float32]) (bool, error) {
	want := float32(l.plan.Ranks * (l.plan.Ranks + 1) / 2)
	for i, x := range sum.Data {
		if x > want || x != sum.Data[0] {
			return false, fmt.Errorf("element %d of %d is %v, want %v", i, len(sum.Data), x, want)
		}
	}
	return true, nil
}

// Over reports whether a round is the last. It waits until the round's sums are checked.
func (l *Load) Over(round int64, checked bool) (bool, error) { return round+1 >= l.plan.Rounds(), nil }

// AppendBinary appends nothing: there is no state.
func (l *Load) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary does nothing: there is no state.
func (l *Load) UnmarshalBinary([]byte) error { return nil }
