package krum

import (
	"testing"

	"github.com/bbgen/bbgen/runtime"
)

// Configurations that no rule has are refused before the program begins, and too few contributions in a round: for the rule
// itself, or for those that are kept.
func TestRefused(t *testing.T) {
	for want, a := range map[string]*Aggregator{
		"krum.Aggregator: Faulty is -1, want 0 or more": {Faulty: -1},
		"krum.Aggregator: Keep is -2, want 0 or more":   {Keep: -2},
	} {
		if err := a.Open(runtime.Env{}); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	x := [][]float32{{1}, {2}, {3}, {4}}
	for want, a := range map[string]*Aggregator{
		"4 contributions, want at least 5 against 1 hostile ones: set a larger quorum, or a smaller Faulty": {Faulty: 1},
		"4 contributions, want at least 9 against 0 hostile ones: set a larger quorum, or a smaller Faulty": {Keep: 9},
	} {
		if err := a.Open(runtime.Env{}); err != nil {
			t.Error(err)
		}
		if err := a.rule(make([]float32, 1), x, nil); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
