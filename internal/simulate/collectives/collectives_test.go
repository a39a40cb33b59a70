package collectives

import (
	"flag"
	"os"
	"sync"
	"sync/atomic"
	"testing"

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
	if sum.Results == 0 || sum.Fewer == 0 || sum.Errors == 0 || sum.Lies == 0 || sum.Doubts == 0 {
		t.Errorf("got %+v: something never happens", sum)
	}
}

// TestRare plays seeds with what hardly another one has: a mutant of internal/mutate survives all others.
func TestRare(t *testing.T) {
	for seed, what := range map[uint64]string{
		8573:  "a rank is asked whether it still takes part, after it has come back with an old state",
		13438: "a snapshot holds partial sums that are to be sent on",
	} {
		if r := Play(Draw(seed), nil); r.Err != nil {
			t.Errorf("seed %d: %s: %v", seed, what, r.Err)
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
	s.Lies += o.Lies
	s.Doubts += o.Doubts
}
