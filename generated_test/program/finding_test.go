package program_test

import (
	"encoding/json"
	"fmt"
	"testing"

	finder "github.com/bbgen/bbgen/generated_test/program/finding/peer/worker/partition"
	"github.com/bbgen/bbgen/runtime/host/sim"
)

var finding = sim.Program{Name: "finding", Classes: []sim.Class{{Name: "worker", Partition: finder.Default}}}

const finders = 16

// foundBy returns what each worker has found last, and how many peers it knows.
func foundBy(t *testing.T, lines []line) (found [finders]string, known [finders]int64) {
	t.Helper()
	for _, l := range lines {
		var value []int
		var state []int64
		switch l.Name {
		case "found":
			if err := json.Unmarshal(l.Value, &value); err != nil {
				t.Fatalf("%s: %v", l.Value, err)
			}
			b := make([]byte, len(value))
			for i, v := range value {
				b[i] = byte(v)
			}
			found[l.Rank] = string(b)
		case "state":
			if err := json.Unmarshal(l.Value, &state); err != nil || len(state) != 3 {
				t.Fatalf("%s: %v", l.Value, err)
			}
			known[l.Rank] = state[0]
		}
	}
	return found, known
}

// right returns how many workers have found the value of the next one, and fails the test for other values.
func right(t *testing.T, seed int, found [finders]string) (n int) {
	t.Helper()
	for i, got := range found {
		switch want := fmt.Sprint("value ", i+1); {
		case got == want && i+1 < finders:
			n++
		case got != "":
			t.Errorf("seed %d: worker %d has found %q, want %q", seed, i, got, want)
		}
	}
	return n
}

// TestFinding shows that each worker finds the value of the next one, though it begins with three peers, and that the
// last one finds none.
func TestFinding(t *testing.T) {
	lines, _ := run(t, finding, "-n", fmt.Sprint("worker=", finders), "-for", "90s")
	found, known := foundBy(t, lines)
	if n := right(t, 1, found); n != finders-1 {
		t.Errorf("%d of %d workers have found a value: %q", n, finders-1, found)
	}
	for i, n := range known {
		if n <= 3 {
			t.Errorf("worker %d knows %d others, want more than those that it began with", i, n)
		}
	}
}

// TestFindingFaults loses messages and crashes peers, which go on from their snapshots. Values are found again, and no wrong
// ones; the same seed gives the same events.
func TestFindingFaults(t *testing.T) {
	found, all := 0, 0
	for seed := range 8 {
		args := []string{"-n", fmt.Sprint("worker=", finders), "-for", "150s", "-seed", fmt.Sprint(seed), "-chaos", "loss=10%,faults=8"}
		lines, first := run(t, finding, args...)
		if seed < 2 {
			if _, second := run(t, finding, args...); first != second {
				t.Fatalf("seed %d: the second run differs", seed)
			}
		}
		values, _ := foundBy(t, lines)
		found, all = found+right(t, seed, values), all+finders-1
	}
	if found < all*9/10 {
		t.Errorf("%d of %d values are found", found, all)
	}
}
