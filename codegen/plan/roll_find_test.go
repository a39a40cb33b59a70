package plan

import (
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/ir/target"
)

// bestByDefinition compares each token with each other one.
func bestByDefinition(tokens []int) (best repeat) {
	for period := 2; period <= len(tokens)/2; period++ {
		for i := len(tokens) - 1; i >= 0; i-- {
			run := 0
			for i+run+period < len(tokens) && tokens[i+run] == tokens[i+run+period] {
				run++
			}
			if r := (repeat{i, period, run/period + 1}); r.count > 1 && r.saved() > best.saved() {
				best = r
			}
		}
	}
	return best
}

// TestRepetitions: in lists of few different tokens, and in all parts of them, the repetition that is found is the one that
// the definition gives.
func TestRepetitions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	found := 0
	for range 2000 {
		var tokens []int
		for len(tokens) < 20+rng.IntN(60) { // a list, several times
			list := make([]int, 1+rng.IntN(9))
			for i := range list {
				list[i] = rng.IntN(1 + rng.IntN(4))
			}
			for range 1 + rng.IntN(8) {
				tokens = append(tokens, list...)
			}
			tokens = append(tokens, rng.IntN(3)-1)
		}
		from := rng.IntN(len(tokens))
		to := from + rng.IntN(len(tokens)-from+1)
		least := target.Default.Limits.Rolled
		all := repetitions(tokens, least)
		for _, part := range [][2]int{{0, len(tokens)}, {from, to}, {from, len(tokens)}, {0, to}} {
			want := bestByDefinition(tokens[part[0]:part[1]])
			want.start += part[0]
			_, got := within(all, part[0], part[1], least)
			if want.saved() < least {
				want, got.start = repeat{}, 0
			} else {
				found++
			}
			if got != want {
				t.Fatalf("in steps %v of %v: got %v, want %v", part, tokens, got, want)
			}
		}
	}
	if found < 1000 {
		t.Errorf("only %d repetitions", found)
	}
}
