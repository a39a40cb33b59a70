package program_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/bbgen/bbgen/generated_test/program/strategies/parts"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"

	strategic "github.com/bbgen/bbgen/generated_test/program/strategies/peer/client/partition"
	strategist "github.com/bbgen/bbgen/generated_test/program/strategies/peer/server/partition"
)

// learned is the reports of the server of program strategies about its rounds.
type learned struct {
	rounds  int
	values  map[string][][]float32 // by name
	refused map[string]int         // the reason, by peer
	ended   bool
}

// strategies runs the program with eleven clients under faults. Each peer keeps snapshots.
func strategies(t *testing.T, seed uint64, faults []mem.Fault) *learned {
	t.Helper()
	ms := int64(time.Millisecond)
	net := mem.New(mem.Config{Seed: seed, Delay: ms, Jitter: ms, Command: 10 * ms, Persist: ms, Faults: faults})
	net.Add(runtime.Config{Durable: true}, func() *runtime.Partition { return made(t, strategist.Default, runtime.Env{Class: "server"}) })
	for i := range 11 {
		net.Add(runtime.Config{Rank: i, Durable: true}, func() *runtime.Partition {
			return made(t, strategic.Default, runtime.Env{Class: "client", Rank: i, Seed: seed})
		})
	}
	l := &learned{values: map[string][][]float32{}, refused: map[string]int{}}
	net.Told = func(i int, e runtime.Event) {
		if i == 0 {
			l.told(e)
		}
	}
	if ok, err := net.Run(int64(time.Hour), func() bool { return l.ended }); err != nil || !ok {
		t.Fatalf("seed %d, %v: the loop does not end: %v, %d rounds, %v", seed, faults, err, l.rounds, l.refused)
	}
	return l
}

// made returns a new partition of a peer.
func made(t *testing.T, create func(runtime.Env) (*runtime.Partition, error), env runtime.Env) *runtime.Partition {
	t.Helper()
	p, err := create(env)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (l *learned) told(e runtime.Event) {
	switch {
	case e.Kind == runtime.Emitted && e.Name == "round":
		l.rounds++
	case e.Kind == runtime.Emitted:
		l.values[e.Name] = append(l.values[e.Name], slices.Clone(tensor.Data[float32](e.Value.(*tensor.Tensor))))
	case (e.Kind == runtime.Refused || e.Kind == runtime.Failed) && e.Err != nil:
		l.refused[fmt.Sprintf("%v: %v", e.Peer, e.Err)]++
	case e.Kind == runtime.Published && e.Name == runtime.LoopDone:
		l.ended = true
	}
}

// near checks that each element of each value with a name is between low and high.
func (l *learned) near(t *testing.T, name string, low, high float32) {
	t.Helper()
	if len(l.values[name]) == 0 {
		t.Errorf("%s is never told", name)
	}
	for _, x := range l.values[name] {
		if slices.Min(x) < low || slices.Max(x) > high {
			t.Errorf("%s is %v, want it from %v to %v", name, x, low, high)
			return
		}
	}
}

// check checks properties of each strategy that do not depend on the peers in a round: honest clients change
// each element by 1.02 to 1.1, and one client by -100.
func (l *learned) check(t *testing.T) {
	t.Helper()
	for _, name := range []string{"median", "trimmed", "krum", "multikrum", "bulyan", "geometric"} {
		l.near(t, name, 1.02, 1.1)
	}
	for _, name := range []string{"bfloat16_mean", "channels_mean", "eight_mean", "four_mean"} {
		l.near(t, name, 0.6, 0.8) // a norm of 2 in eight elements
	}
	l.near(t, "sign_mean", 0.6, 0.8)
	for _, name := range []string{"topk_mean", "randomk_mean"} {
		l.near(t, name, 0, 4)
		sum := 0.0
		for _, v := range l.values[name][0] {
			sum += float64(v)
		}
		if want := 4 / math.Sqrt2; math.Abs(sum-want) > 0.1 {
			t.Errorf("half of the elements sum to %v for %s, want %v", sum, name, want)
		}
	}
	// The model grows by the median in each round. With momentum it grows more than with the average, and
	// with adaptive rates less.
	l.near(t, "momentum", 1, 10)
	l.near(t, "nesterov", 1, 10)
	for _, name := range []string{"adagrad", "adam", "yogi"} {
		l.near(t, name, 0.05, 6)
	}
	if spoiler := mem.PeerID(1 + parts.Spoiler); l.refused[spoiler.String()+": element 0 is NaN"] == 0 {
		t.Errorf("the peer that sends what is not finite is not named: %v", l.refused)
	}
}

// TestStrategies tests all strategies in one program, with a client that flips its changes and one that sends
// values that are not finite.
func TestStrategies(t *testing.T) {
	l := strategies(t, 1, nil)
	if l.rounds != 4 {
		t.Errorf("%d rounds, want 4", l.rounds)
	}
	l.check(t)
	l.near(t, "bounded", 0.7, 1)
	l.near(t, "mean", -20, -8) // one client of many determines the mean
	l.near(t, "fair", -1, 0)   // and makes the steps small, as they depend on the length of its change
}

// The same holds when peers crash and channels break. The server crashes in the second round, so that the
// state of optimizers is restored from its snapshot, and so does a client, whose codecs have retained errors.
func TestStrategiesUnderFaults(t *testing.T) {
	ms := int64(time.Millisecond)
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		faults := append(mem.Faults(r, 4, 12, 200*ms),
			mem.Fault{At: (15 + r.Int64N(30)) * ms, For: 20 * ms, Kind: mem.Crash, Node: 0},
			mem.Fault{At: (15 + r.Int64N(30)) * ms, For: 20 * ms, Kind: mem.Crash, Node: 3})
		strategies(t, seed, faults).check(t)
	}
}
