package program_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bbgen/bbgen/generated_test/program/choosing"
	"github.com/bbgen/bbgen/generated_test/program/choosing/parts"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"

	chosen "github.com/bbgen/bbgen/generated_test/program/choosing/peer/client/partition"
	chooser "github.com/bbgen/bbgen/generated_test/program/choosing/peer/server/partition"
)

// choice is what the peers of program choosing report: the server's last outputs, and those of each client.
type choice struct {
	rounds int
	server map[string][]float32
	own    [choosing.Clients]map[string][]float32
	asked  [choosing.Clients]int // rounds
}

// choose runs the program choosing under faults. Each peer keeps snapshots.
func choose(t *testing.T, seed uint64, faults []mem.Fault) *choice {
	t.Helper()
	ms := int64(time.Millisecond)
	net := mem.New(mem.Config{Seed: seed, Delay: ms, Jitter: ms, Command: 10 * ms, Persist: ms, Faults: faults, Verify: true})
	net.Add(runtime.Config{Durable: true}, func() *runtime.Partition { return made(t, chooser.Default, runtime.Env{Class: "server", Seed: seed}) })
	c := &choice{server: map[string][]float32{}}
	for i := range choosing.Clients {
		c.own[i] = map[string][]float32{}
		net.Add(runtime.Config{Rank: i, Durable: true}, func() *runtime.Partition {
			return made(t, chosen.Default, runtime.Env{Class: "client", Rank: i, Seed: seed})
		})
	}
	ended := false
	net.Told = func(i int, e runtime.Event) {
		switch {
		case e.Kind == runtime.Published && e.Name == runtime.LoopDone:
			ended = true
		case e.Kind != runtime.Emitted:
		case e.Name == "round":
			c.rounds++
		case i == 0:
			c.server[e.Name] = tensor.Data[float32](e.Value.(*tensor.Tensor).Clone())
		default:
			c.own[i-1][e.Name] = tensor.Data[float32](e.Value.(*tensor.Tensor).Clone())
			if e.Name == "own" {
				c.asked[i-1]++
			}
		}
	}
	if ok, err := net.Run(int64(time.Hour), func() bool { return ended }); err != nil || !ok {
		t.Fatalf("seed %d, %v: the loop does not end: %v, %d rounds", seed, faults, err, c.rounds)
	}
	return c
}

func near(x, want, within float64) bool { return math.Abs(x-want) <= within }

// check checks the models at the end: each kind of clients has found its own, what is common is common, and what is
// personal is not.
func (c *choice) check(t *testing.T, seed uint64) {
	t.Helper()
	if c.rounds < choosing.Rounds {
		t.Errorf("seed %d: %d rounds, want %d", seed, c.rounds, choosing.Rounds)
	}
	for i, v := range c.server["kinds"] {
		if want := []float64{1, -1}[i/2]; !near(float64(v), want, 0.2) {
			t.Errorf("seed %d: the models of the kinds are %v, want 1 and -1", seed, c.server["kinds"])
		}
	}
	for _, v := range c.server["common_model"] {
		if !near(float64(v), 1, 0.1) {
			t.Errorf("seed %d: the common model is %v, want 1", seed, c.server["common_model"])
			break
		}
	}
	for i, own := range c.own {
		if c.asked[i] < 8 {
			continue
		}
		if v := float64(own["own"][parts.Shared]); !near(v, float64(i), 0.1*float64(i)+0.01) {
			t.Errorf("seed %d: client %d keeps %v, want %d", seed, i, v, i)
		}
		if v := float64(own["ditto"][0]); !near(v, 2, 0.5) { // half way between its own and the common one
			t.Errorf("seed %d: the whole model of client %d is %v, want 2", seed, i, v)
		}
	}
}

// TestChoosing trains models for clusters of clients, models with personal parts and whole personal ones. Clients are
// chosen by loss and speed, and get the common model as differences.
func TestChoosing(t *testing.T) {
	c := choose(t, 1, nil)
	c.check(t, 1)
	total := 0
	for i, n := range c.asked {
		total += n
		if n == 0 {
			t.Errorf("client %d is never asked", i)
		}
	}
	if want := choosing.Rounds * choosing.Chosen; total != want {
		t.Errorf("%d answers, want %d", total, want)
	}
	if v := c.server["having"]; v[0] < choosing.Rounds/2 {
		t.Errorf("clients have version %v of %d on average", v, choosing.Rounds)
	}
}

// The same holds when peers crash and lose connections, the server and a client in certain rounds.
func TestChoosingUnderFaults(t *testing.T) {
	ms := int64(time.Millisecond)
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		faults := append(mem.Faults(r, 4, 1+choosing.Clients, 300*ms),
			mem.Fault{At: (15 + r.Int64N(100)) * ms, For: 20 * ms, Kind: mem.Crash, Node: 0},
			mem.Fault{At: (15 + r.Int64N(100)) * ms, For: 500 * ms, Kind: mem.Crash, Node: 3})
		choose(t, seed, faults).check(t, seed)
	}
}
