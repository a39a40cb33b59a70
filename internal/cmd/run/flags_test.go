package run

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestChaosSet(t *testing.T) {
	for text, want := range map[string]chaos{
		"kill=20%":                    {kill: 0.2},
		"kill=0.5":                    {kill: 0.5},
		"loss=5%, delay=3ms,faults=2": {loss: 0.05, delay: 3 * time.Millisecond, faults: 2},
	} {
		var got chaos
		want.text = text
		if err := got.Set(text); err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "kill", "kill=0", "kill=101%", "kill=NaN", "loss=-1%", "delay=3", "faults=0", "fire=1%"} {
		if err := new(chaos).Set(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestSetCounts(t *testing.T) {
	list := []class{{"client", 1}, {"server", 1}}
	if err := setCounts("peer", list, "client=8"); err != nil {
		t.Fatal(err)
	}
	if want := []class{{"client", 8}, {"server", 1}}; !slices.Equal(list, want) {
		t.Errorf("got %v, want %v", list, want)
	}
	for _, text := range []string{"client", "client=0", "client=x", "worker=2", "client=8,", "=3"} {
		if err := setCounts("peer", list, text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// TestVictims kills with every probability: somebody of each class survives, and
// the same seed chooses the same.
func TestVictims(t *testing.T) {
	b := newBoard([]class{{"client", 5}, {"server", 1}, {"store", 2}})
	for i := range b.rows {
		b.rows[i].state = up
	}
	b.rows[1].state = down
	all := newKiller(1, 1).victims(b.rows)
	if want := []int{0, 2, 3, 6}; !slices.Equal(all, want) {
		t.Errorf("killed %v, want %v: all but one of those that are up", all, want)
	}
	seed := rand.Uint64()
	one, two := newKiller(0.5, seed), newKiller(0.5, seed)
	for range 20 {
		if x, y := one.victims(b.rows), two.victims(b.rows); !slices.Equal(x, y) {
			t.Fatalf("seed %d: %v, then %v", seed, x, y)
		}
	}
}
