package program_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/host/sim"
	"github.com/bbgen/bbgen/runtime/tensor"

	"github.com/bbgen/bbgen/generated_test/program/walking/parts"
	walker "github.com/bbgen/bbgen/generated_test/program/walking/peer/worker/partition"
)

var walking = sim.Program{Name: "walking", Classes: []sim.Class{{Name: "worker", Partition: walker.Default}}}

const walkers = 6

// walkState is what a worker says last of the walk: its model, the generation of the token and its steps.
type walkState struct {
	model                      []float64
	generation, steps, trained int64
}

// walkStates returns what each worker says last.
func walkStates(t *testing.T, lines []line) (all [walkers]walkState) {
	t.Helper()
	for _, l := range lines {
		var model []float64
		var state []int64
		w := &all[l.Rank]
		var err error
		switch l.Name {
		case "model":
			err = json.Unmarshal(l.Value, &model)
			w.model = model
		case "state":
			if err = json.Unmarshal(l.Value, &state); err == nil && len(state) == 3 {
				w.generation, w.steps = state[1], state[2]
			}
		case "trained":
			err = json.Unmarshal(l.Value, &w.trained)
		}
		if err != nil {
			t.Fatalf("%s: %v", l.Value, err)
		}
	}
	return all
}

// found reports whether a model is near the line.
func (w *walkState) found(within float64) bool {
	return len(w.model) == 2 && math.Abs(w.model[0]-parts.A) < within && math.Abs(w.model[1]-parts.B) < within
}

// TestWalking checks that one token finds the line through the points of all workers, and that all have trained it.
func TestWalking(t *testing.T) {
	lines, _ := run(t, walking, "-n", fmt.Sprint("worker=", walkers), "-for", "120s")
	for _, l := range lines {
		if l.Error != "" {
			t.Errorf("%s %d: %s: %s", l.Class, l.Rank, l.Event, l.Error)
		}
	}
	oneToken(t, 1, lines)
	trained, steps := int64(0), int64(0)
	for i, w := range walkStates(t, lines) {
		if !w.found(0.01) || w.generation != 1 || w.trained < 10 {
			t.Errorf("worker %d ends with %+v, want the line %v x + %v and generation 1", i, w, parts.A, parts.B)
		}
		trained, steps = trained+w.trained, max(steps, w.steps)
	}
	if steps != trained {
		t.Errorf("the token has %d steps, and was trained %d times", steps, trained)
	}
}

// TestWalkingFaults loses messages and crashes peers, which go on from their snapshots. Tokens are replaced while
// their holders are away. When all is well again, one is left.
func TestWalkingFaults(t *testing.T) {
	replaced := 0
	for seed := range 12 {
		args := []string{"-n", fmt.Sprint("worker=", walkers), "-for", "150s", "-seed", fmt.Sprint(seed), "-chaos", "loss=10%,faults=8"}
		lines, first := run(t, walking, args...)
		if seed < 3 {
			if _, second := run(t, walking, args...); first != second {
				t.Fatalf("seed %d: the second run differs", seed)
			}
		}
		oneToken(t, seed, lines[len(lines)/2:])
		all := walkStates(t, lines)
		for i, w := range all {
			if !w.found(0.05) || w.generation != all[0].generation {
				t.Errorf("seed %d: worker %d ends with %+v, want the line and generation %d", seed, i, w, all[0].generation)
			}
		}
		if all[0].generation > 1 {
			replaced++
		}
	}
	if replaced < 3 {
		t.Errorf("tokens were replaced for %d of 12 seeds", replaced)
	}
}

// oneToken checks that there is one token: what its holders say, one after the other, is of the same generation, with more
// and more steps.
func oneToken(t *testing.T, seed int, lines []line) {
	t.Helper()
	var last []int64
	for _, l := range lines {
		var s []int64
		if l.Name != "state" || json.Unmarshal(l.Value, &s) != nil || s[0] == 0 {
			continue
		}
		if last != nil && (s[1] != last[1] || s[2] < last[2]) {
			t.Errorf("seed %d: worker %d holds a token of generation %d with %d steps, after one of generation %d with %d", seed, l.Rank, s[1], s[2], last[1], last[2])
		}
		last = s
	}
	if last == nil {
		t.Errorf("seed %d: nobody holds the token", seed)
	}
}

// cyclic is the program with a token that visits the workers by rank.
var cyclic = sim.Program{Name: "walking", Classes: []sim.Class{{Name: "worker", Partition: func(env runtime.Env) (*runtime.Partition, error) {
	c := walker.DefaultConfig()
	c.Walk.Cyclic = true
	return walker.Partition(env, c)
}}}}

// TestWalkingCyclic checks that all workers train equally often, and that the walk goes on under faults: a worker that
// does not respond is skipped.
func TestWalkingCyclic(t *testing.T) {
	lines, _ := run(t, cyclic, "-n", fmt.Sprint("worker=", walkers), "-for", "120s")
	oneToken(t, 1, lines)
	all := walkStates(t, lines)
	for i, w := range all {
		if !w.found(0.01) || w.generation != 1 || w.trained < 50 || w.trained < all[0].trained-6 || w.trained > all[0].trained+6 {
			t.Errorf("worker %d ends with %+v, want the line, and about as many steps as worker 0: %d", i, w, all[0].trained)
		}
	}
	for seed := range 6 {
		lines, _ := run(t, cyclic, "-n", fmt.Sprint("worker=", walkers), "-for", "150s", "-seed", fmt.Sprint(seed), "-chaos", "loss=10%,faults=8")
		oneToken(t, seed, lines[len(lines)/2:])
		for i, w := range walkStates(t, lines) {
			if !w.found(0.05) {
				t.Errorf("seed %d: worker %d ends with %+v, want the line", seed, i, w)
			}
		}
	}
}

// TestWalkingDeath lets the holder of the token die for good, and its predecessor with it: a new token goes on.
func TestWalkingDeath(t *testing.T) {
	for seed := range uint64(10) {
		net := mem.New(mem.Config{Seed: seed, Delay: 1e6})
		for i := range walkers {
			env := runtime.Env{Seed: seed, Class: "worker", Rank: i, Random: mem.Random(seed, i), Identity: mem.Identity(i)}
			net.Add(runtime.Config{Rank: i, Seed: seed}, func() *runtime.Partition {
				p, err := walker.Default(env)
				if err != nil {
					t.Fatal(err)
				}
				return p
			})
		}
		var last [walkers][]int64
		dead := map[int]bool{}
		net.Told = func(i int, e runtime.Event) {
			if e.Kind != runtime.Emitted || e.Name != "state" {
				return
			}
			last[i] = tensor.Data[int64](e.Value.(*tensor.Tensor))
			if net.Now() > 10e9 && last[i][0] == 1 && len(dead) == 0 {
				for k := range 2 { // it, and another one
					dead[(i+k)%walkers] = true
					net.Strike(mem.Fault{Kind: mem.Leave, Node: (i + k) % walkers, At: net.Now()})
				}
			}
		}
		if _, err := net.Run(300e9, func() bool { return false }); err != nil {
			t.Fatal(err)
		}
		if len(dead) != 2 {
			t.Fatalf("seed %d: nobody has said that it holds the token", seed)
		}
		for i := range walkers {
			if s := last[i]; !dead[i] && (s[1] < 2 || s[2] < 200 || s[1] != last[live(dead)][1]) {
				t.Errorf("seed %d: worker %d ends with generation %d and %d steps, want those of a new token: %v, dead %v", seed, i, s[1], s[2], last, dead)
			}
		}
	}
}

// live returns a worker that is not dead.
func live(dead map[int]bool) int {
	for i := range walkers {
		if !dead[i] {
			return i
		}
	}
	return -1
}
