package program_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bbgen/bbgen/generated_test/program/hidden"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"

	hiddenChooser "github.com/bbgen/bbgen/generated_test/program/hidden/peer/chooser/partition"
	hiddenClient "github.com/bbgen/bbgen/generated_test/program/hidden/peer/client/partition"
	hiddenServer "github.com/bbgen/bbgen/generated_test/program/hidden/peer/server/partition"
)

// hide runs the program hidden under faults. Each peer keeps snapshots.
func hide(t *testing.T, seed uint64, faults []mem.Fault) *learned {
	t.Helper()
	ms := int64(time.Millisecond)
	net := mem.New(mem.Config{Seed: seed, Delay: ms, Jitter: ms, Command: 10 * ms, Persist: ms, Faults: faults, Verify: true})
	add := func(class string, rank, i int, create func(runtime.Env) (*runtime.Partition, error)) {
		env := runtime.Env{Class: class, Rank: rank, Seed: seed, Random: mem.Random(seed, i), Identity: mem.Identity(i)}
		net.Add(runtime.Config{Rank: rank, Durable: true}, func() *runtime.Partition { return made(t, create, env) })
	}
	add("server", 0, 0, hiddenServer.Default)
	add("chooser", 0, 1, hiddenChooser.Default)
	for i := range hidden.Clients {
		add("client", i, 2+i, hiddenClient.Default)
	}
	l, loops := &learned{values: map[string][][]float32{}, refused: map[string]int{}}, map[int]bool{}
	net.Told = func(i int, e runtime.Event) {
		if i < 2 {
			l.told(e)
		}
		if e.Kind == runtime.Published && e.Name == runtime.LoopDone {
			loops[i] = true
		}
	}
	if ok, err := net.Run(int64(time.Hour), func() bool { return len(loops) == 2 }); err != nil || !ok {
		t.Fatalf("seed %d, %v: the loops do not end: %v, %d rounds, %v", seed, faults, err, l.rounds, l.refused)
	}
	return l
}

// hidden checks properties that do not depend on the peers in a round. Clients change each element by 1 to
// 1.08. One client sends the opposite multiplied by a hundred, which is clipped, and one sends values that
// are not finite.
func (l *learned) hidden(t *testing.T) {
	t.Helper()
	l.near(t, "secure", 1, 1.09)
	l.near(t, "local_mean", 0.9, 1.2)
	l.near(t, "central_mean", 0.3, 1.2)
	l.near(t, "sampled", 0.2, 9./4+0.1)
	if len(l.values["secure"]) < hidden.Rounds {
		t.Errorf("%d masked sums, want %d", len(l.values["secure"]), hidden.Rounds)
	}
}

// All methods of hiding single changes work in one program, with the right results.
func TestHidden(t *testing.T) { hide(t, 1, nil).hidden(t) }

// TestHiddenUnderFaults tests sums with peers that crash in the middle of rounds and continue from snapshots:
// no sum may contain masks.
func TestHiddenUnderFaults(t *testing.T) {
	ms := int64(time.Millisecond)
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		faults := append(mem.Faults(r, 4, 2+hidden.Clients, 300*ms),
			mem.Fault{At: (15 + r.Int64N(60)) * ms, For: 20 * ms, Kind: mem.Crash, Node: 0},
			mem.Fault{At: (15 + r.Int64N(60)) * ms, For: 20 * ms, Kind: mem.Crash, Node: 3},
			mem.Fault{At: (15 + r.Int64N(60)) * ms, For: 500 * ms, Kind: mem.Crash, Node: 5})
		hide(t, seed, faults).hidden(t)
	}
}
