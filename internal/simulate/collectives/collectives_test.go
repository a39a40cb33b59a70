package collectives

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

var (
	seeds = flag.Int("seeds", 10000, "how many seeds are played")
	first = flag.Uint64("seed", 1, "the first `seed`")
	steps = flag.Bool("steps", false, "print the steps of the first seed, and play no other")
)

// All values are shared memory here, so that the tests detect references that are released too early.
func TestMain(m *testing.M) {
	tensor.Poison(64)
	os.Exit(m.Run())
}

// TestCollectives always runs the same seeds.
//
//	go test ./internal/simulate/collectives -seeds 10000
//	go test ./internal/simulate/collectives -v -seed 4711 -steps
func TestCollectives(t *testing.T) {
	if *steps {
		c := Draw(*first)
		t.Logf("%+v", *c)
		if r := Play(c, func(s string) { t.Log(s) }); r.Err != nil {
			t.Error(r.Err)
		}
		return
	}
	if testing.Short() {
		*seeds = min(*seeds, 1000)
	}
	var next atomic.Int64
	var mu sync.Mutex
	var sum Seen
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			for i := next.Add(1) - 1; i < int64(*seeds); i = next.Add(1) - 1 {
				seed := *first + uint64(i)
				r := Play(Draw(seed), nil)
				if r.Err != nil {
					t.Errorf("seed %d: %v\nit takes %v", seed, r.Err, smaller(seed))
				} else if seed%32 == 0 && Play(Draw(seed), nil).Hash != r.Hash {
					t.Errorf("seed %d: the second time something else happens", seed)
				}
				mu.Lock()
				sum.add(r.Seen)
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	t.Logf("%d seeds: %+v", *seeds, sum)
	if *seeds < 1000 {
		return // too few for all that is rare
	}
	if sum.Results == 0 || sum.Fewer == 0 || sum.Errors == 0 || sum.Stops == 0 || sum.Lies == 0 || sum.Doubts == 0 {
		t.Errorf("got %+v: something never happens", sum)
	}
}

// TestRare plays seeds with what hardly another one has, such as those without which a mutant of internal/mutate survives.
func TestRare(t *testing.T) {
	for seed, what := range map[uint64]string{
		8573:  "a rank is asked whether it still takes part, after it has come back with an old state",
		13438: "a snapshot holds partial sums that are to be sent on",

		// Ranks that stay end with an error, as they must.
		100286: "one of two ranks leaves before it gives its value",
		119351: "one of two ranks leaves, and calls of the same and of a later stage wait for it",
		109558: "the root of a broadcast leaves: all get its last value, and the next call fails",

		248863: "a rank that only some ranks have told of values of different sizes leaves",
		229716: "a rank leaves after it has got a result that no other has, and one without elements",
		307420: "a rank has lost durable data after its last results, and waits for one of them",
		235945: "a rank is excluded when it has what it needs for its last result, and ends without an error",
		610899: "the root of a reduction leaves in whose code there is a mistake: the others keep their own values",
	} {
		if r := Play(Draw(seed), nil); r.Err != nil {
			t.Errorf("seed %d: %s: %v", seed, what, r.Err)
		}
	}
}

// TestTwoCallsNotMade: a rank's code fails before it makes two calls. Both count, so that those of the next execution are
// matched with those of the same execution on the other ranks.
func TestTwoCallsNotMade(t *testing.T) {
	for seed := range uint64(8) { // with other orders and sizes
		sum := Call{Spec: collective.Spec{Kind: collective.AllReduce, Elem: tensor.Float64}}
		c := &Case{Seed: seed, Ranks: 3, Rounds: 2, Calls: []Call{sum, sum}, Liar: -1, World: mem.Config{Seed: seed, Delay: 1e6, Verify: true}}
		c.Mistake = &Mistake{Rank: 1, Round: 0, Call: newPart(c, 1).stages[0][0], Kind: Fails}
		g := newGame(c, nil)
		g.net.Started = func(rank int, n *runtime.Node) {
			for round := range c.Rounds {
				if _, err := n.Invoke(n.Now(), "round", numbered(round)); err != nil {
					t.Error(err)
				}
			}
		}
		g.net.Run(patience, func() bool { return g.made[0] >= 2 && g.made[1] >= 2 && g.made[2] >= 2 })
		for call := range c.Calls {
			if err := cmp.Or(g.err, g.checkCall(call, 1)); err != nil || len(g.resultLines(call, 1)) != c.Ranks {
				t.Errorf("seed %d: call %d of the execution after the failed one: %v, %v, errors %v", seed, call, err, g.resultLines(call, 1), g.failed)
			}
		}
	}
}

// TestAllows: which errors of the ranks that stay are due to those that leave.
func TestAllows(t *testing.T) {
	calls := []Call{{Spec: collective.Spec{Kind: collective.Broadcast, Root: 1}}, {Spec: collective.Spec{Kind: collective.AllReduce, Root: 2}}}
	for _, tt := range []struct {
		ranks          int
		leave          []int
		minority, root bool
	}{
		{ranks: 2},
		{ranks: 3, leave: []int{0}},
		{ranks: 3, leave: []int{0, 0}},
		{ranks: 3, leave: []int{1}, root: true},
		{ranks: 3, leave: []int{2}}, // of an AllReduce, which has no root
		{ranks: 2, leave: []int{0}, minority: true, root: true},
		{ranks: 4, leave: []int{0, 2}, minority: true, root: true},
		{ranks: 5, leave: []int{0, 2}},
		{ranks: 5, leave: []int{0, 1}, root: true},
	} {
		c := &Case{Ranks: tt.ranks, Calls: calls, IfLost: collective.Repeat}
		for _, rank := range tt.leave {
			c.World.Faults = append(c.World.Faults, mem.Fault{Kind: mem.Leave, Node: rank})
		}
		lost := fmt.Errorf("a call: %w", &collective.RankError{Rank: 1, Err: collective.ErrRootLost})
		if got := [...]bool{c.allows(collective.ErrMinority), c.allows(lost)}; got != [...]bool{tt.minority, tt.root} {
			t.Errorf("%d ranks, of which %v leave: it allows a minority and a lost root: %v, want %v", tt.ranks, tt.leave, got, [...]bool{tt.minority, tt.root})
		}
		if c.allows(nil) || c.allows(collective.ErrLost) || c.allows(collective.ErrForgotten) {
			t.Errorf("%d ranks, of which %v leave: it allows other errors, or none", tt.ranks, tt.leave)
		}
	}
}

// smaller returns a minimal list of faults with which a seed fails.
func smaller(seed uint64) []mem.Fault {
	return mem.Shrink(Draw(seed).World.Faults, func(faults []mem.Fault) bool {
		c := Draw(seed)
		c.World.Faults = faults
		return Play(c, nil).Err != nil
	})
}

func (s *Seen) add(o Seen) {
	s.Results += o.Results
	s.Fewer += o.Fewer
	s.Errors += o.Errors
	s.Stops += o.Stops
	s.Lies += o.Lies
	s.Doubts += o.Doubts
}
