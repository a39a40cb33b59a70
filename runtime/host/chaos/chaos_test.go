package chaos

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestSet checks how the flag is parsed.
func TestSet(t *testing.T) {
	for text, want := range map[string]Spec{
		"kill=20%":                       {Kill: 0.2},
		"kill=0.5":                       {Kill: 0.5},
		"loss=5%, delay=3ms,faults=2":    {Loss: 0.05, Delay: 3 * time.Millisecond, Faults: 2},
		"kill=1,duplicate=1%,corrupt=2%": {Kill: 1, Duplicate: 0.01, Corrupt: 0.02},
	} {
		got := Spec{Loss: 1}
		if err := got.Set(text); err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", text, got, err, want)
		}
		var again Spec
		if err := again.Set(got.String()); err != nil || again != want {
			t.Errorf("%s: printed as %s, which is %+v, %v", text, got.String(), again, err)
		}
	}
	for _, text := range []string{"", "kill", "kill=0", "kill=101%", "kill=NaN", "loss=-1%", "delay=3", "faults=0", "fire=1%"} {
		if err := new(Spec).Set(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// TestVictims kills with every probability: one peer of each class survives, and the same seed gives the same
// choice.
func TestVictims(t *testing.T) {
	var peers []Victim
	for _, class := range []string{"client", "client", "client", "client", "client", "server", "store", "store"} {
		peers = append(peers, Victim{class, true})
	}
	peers[1].Up = false
	all := NewKiller(1, 1).Victims(peers)
	if want := []int{0, 2, 3, 6}; !slices.Equal(all, want) {
		t.Errorf("killed %v, want %v: all but one of those that are up", all, want)
	}
	seed := rand.Uint64()
	one, two := NewKiller(0.5, seed), NewKiller(0.5, seed)
	for range 20 {
		if x, y := one.Victims(peers), two.Victims(peers); !slices.Equal(x, y) {
			t.Fatalf("seed %d: %v, then %v", seed, x, y)
		}
	}
}
