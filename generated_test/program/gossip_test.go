package program_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/sim"

	lister "github.com/bbgen/bbgen/generated_test/program/gossip/peer/registry/partition"
	gossiper "github.com/bbgen/bbgen/generated_test/program/gossip/peer/worker/partition"
)

var gossip = sim.Program{Name: "gossip", Classes: []sim.Class{
	{Name: "registry", Partition: lister.Default}, {Name: "worker", Partition: gossiper.Default},
}}

const gossipers = 6

// told is the last value that each worker has reported under a name.
func told[T any](t *testing.T, lines []line, name string) []T {
	t.Helper()
	out := make([]T, gossipers)
	for _, l := range lines {
		if l.Name == name && l.Class == "worker" {
			var x T
			if err := json.Unmarshal(l.Value, &x); err != nil {
				t.Fatalf("%s: %v", l.Value, err)
			}
			out[l.Rank] = x
		}
	}
	return out
}

// TestGossip tests the purpose of each protocol: the registry reports all other peers, gossip some of them,
// and all find the mean of their ranks.
func TestGossip(t *testing.T) {
	lines, _ := run(t, gossip, "-n", fmt.Sprint("worker=", gossipers), "-for", "31s")
	for _, l := range lines {
		if l.Error != "" {
			t.Errorf("%s %d: %s: %s", l.Class, l.Rank, l.Event, l.Error)
		}
	}
	there, some, next := told[[]string](t, lines, "there"), told[[]string](t, lines, "some"), told[[]string](t, lines, "next")
	hop := told[[]string](t, lines, "hop")
	for i, mean := range told[[]float64](t, lines, "mean") {
		if len(mean) != 1 || math.Abs(mean[0]-2.5) > 1e-9 {
			t.Errorf("worker %d takes %v for the mean, want 2.5", i, mean)
		}
		if len(there[i]) != gossipers-1 || len(some[i]) < 2 || len(some[i]) > 3 {
			t.Errorf("worker %d is told of %d others and knows %d by gossip, want all and 2 or 3", i, len(there[i]), len(some[i]))
		}
		if before := hop[(i+1)%gossipers]; len(next[i]) != 1 || len(before) != 1 || next[(i+1)%gossipers][0] == next[i][0] {
			t.Errorf("behind worker %d is %v, which heard from %v", i, next[i], before)
		}
	}
}

// TestGossipFaults loses messages, crashes peers and restores them from their snapshots. A share that a peer
// gives away arrives once, so the sum is unchanged: after the faults all find the mean.
func TestGossipFaults(t *testing.T) {
	for seed := range 20 {
		args := []string{"-n", fmt.Sprint("worker=", gossipers), "-for", "61s", "-seed", fmt.Sprint(seed), "-chaos", "loss=10%,faults=6"}
		lines, first := run(t, gossip, args...)
		if seed < 3 {
			if _, second := run(t, gossip, args...); first != second {
				t.Fatalf("seed %d: the second run differs", seed)
			}
		}
		there := told[[]string](t, lines, "there")
		for i, mean := range told[[]float64](t, lines, "mean") {
			if len(mean) != 1 || math.Abs(mean[0]-2.5) > 1e-6 || len(there[i]) != gossipers-1 {
				t.Errorf("seed %d: worker %d takes %v for the mean and %d others to be there, want 2.5 and all", seed, i, mean, len(there[i]))
			}
		}
	}
}
