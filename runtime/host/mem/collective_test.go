package mem_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// summing is peers that sum vectors in some rounds.
type summing struct {
	t         *testing.T
	seed      uint64
	peers     int
	rounds    int
	size      int
	algorithm collective.Algorithm
	lost      collective.IfLost
	sums      []map[uint64]string // by peer and execution, as they are told
	failed    []error             // by peer, the last
	w         *mem.Network
}

func newSumming(t *testing.T, seed uint64, lost collective.IfLost, c mem.Config, durable bool, rounds int) *summing {
	r := rand.New(rand.NewPCG(seed, 5))
	s := &summing{t: t, seed: seed, peers: 2 + r.IntN(4), rounds: rounds, size: r.IntN(40), lost: lost,
		algorithm: collective.Algorithm(r.IntN(6))}
	if lost != collective.Wait {
		s.peers += 2
	}
	c.Seed = seed
	s.w = mem.New(c)
	s.sums, s.failed = make([]map[uint64]string, s.peers), make([]error, s.peers)
	for rank := range s.peers {
		s.sums[rank] = map[uint64]string{}
		s.w.Add(runtime.Config{Rank: rank, Durable: durable, Heartbeat: 20e6}, func() *runtime.Partition { return handmade.Reducer(rank, s.rounds, s.algorithm, lost) })
	}
	s.w.Started = func(i int, n *runtime.Node) {
		if _, err := n.Invoke(n.Now(), "reducer", vector(s.first(i))); err != nil {
			t.Error(err)
		}
	}
	s.w.Told = func(i int, e runtime.Event) {
		switch e.Kind {
		case runtime.Emitted:
			text := fmt.Sprint(tensor.Data[float64](e.Value.(*tensor.Tensor)))
			if have, twice := s.sums[i][e.Exec.Number]; twice && have != text {
				t.Errorf("seed %d: peer %d tells %s, and %s before", seed, i, text, have)
			}
			s.sums[i][e.Exec.Number] = text
		case runtime.Failed:
			s.failed[i] = e.Err
		}
	}
	return s
}

// first is what a rank begins with.
func (s *summing) first(rank int) []float64 {
	return handmade.Contribution(rank, make([]float64, s.size))
}

// sum is the plain computation of a round, of the ranks in a set.
func (s *summing) sum(before []float64, ranks []int) []float64 {
	var in []collective.Value
	for _, rank := range ranks {
		x := s.first(rank)
		if before != nil {
			x = handmade.Contribution(rank, before)
		}
		in = append(in, collective.Value{Rows: s.size, Row: 1, Data: tensor.Raw(x)})
	}
	spec := collective.Spec{Elem: tensor.Float64, Algorithm: s.algorithm}
	out := make([]float64, s.size)
	tensor.SetRaw(out, spec.Evaluate(collective.Auto, in)[0])
	return out
}

// without are all ranks but some.
func (s *summing) without(gone uint) (ranks []int) {
	for r := range s.peers {
		if gone>>r&1 == 0 {
			ranks = append(ranks, r)
		}
	}
	return ranks
}

// check wants that all who are left have told of all rounds the sums of some ranks, those
// who are left among them, and never more than in the round before.
func (s *summing) check(left []int) {
	most := uint(0) // who may be gone
	for r := range s.peers {
		most |= 1 << r
	}
	for _, r := range left {
		most &^= 1 << r
	}
	gone := uint(0)
	var before []float64
	for round := range s.rounds {
		found := false
		var sum []float64
		for set := uint(0); set <= most && !found; set++ {
			if set&^most != 0 || gone&^set != 0 {
				continue
			}
			sum = s.sum(before, s.without(set))
			found = true
			for _, r := range left {
				found = found && s.sums[r][uint64(round+1)] == fmt.Sprint(sum)
			}
			if found {
				gone = set
			}
		}
		if !found {
			s.t.Fatalf("seed %d: %d peers by %v: round %d: %v is the sum of no ranks but %b of those before; errors %v", s.seed, s.peers, s.algorithm, round, s.texts(left, round), most, s.failed)
		}
		before = sum
	}
}

func (s *summing) texts(left []int, round int) (list []string) {
	for _, r := range left {
		list = append(list, s.sums[r][uint64(round+1)])
	}
	return list
}

// over reports whether these peers have told of all rounds.
func (s *summing) over(left []int) func() bool {
	return func() bool {
		for _, r := range left {
			if len(s.sums[r]) < s.rounds {
				return false
			}
		}
		return true
	}
}

// TestCollectiveWaits: peers crash and go on from their snapshots, and messages are lost,
// doubled and corrupted; the sums are those of the plain computation.
func TestCollectiveWaits(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 6))
		c := mem.Config{Delay: 1e6, Jitter: 2e6, Loss: 0.05, Duplicate: 0.05, Corrupt: 0.01, Persist: 1e6, Heal: faultEnd, Verify: true}
		c.Faults = mem.Faults(r, 6, 5, faultEnd)
		s := newSumming(t, seed, collective.Wait, c, true, 1+r.IntN(6))
		for i := range c.Faults {
			c.Faults[i].Node, c.Faults[i].Other = c.Faults[i].Node%s.peers, c.Faults[i].Other%s.peers
		}
		all := s.without(0)
		if done, err := s.w.Run(deadline, s.over(all)); err != nil || !done {
			t.Fatalf("seed %d: %v, %v: %v", seed, done, err, s.sums)
		}
		s.check(all)
	}
}

// TestCollectiveRepeats: peers leave for good, and the others finish all rounds with the
// same sums, of those who were there. One that nobody has
// ever heard of is waited for, for a minute.
func TestCollectiveRepeats(t *testing.T) {
	fewer := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 7))
		s := newSumming(t, seed, collective.Repeat, mem.Config{Delay: 1e6, Jitter: 2e6, Loss: 0.02, Duplicate: 0.02}, false, 4+r.IntN(8))
		gone := uint(0)
		for range r.IntN((s.peers-1)/2 + 1) {
			node := r.IntN(s.peers)
			gone |= 1 << node
			s.w.Strike(mem.Fault{At: 15e6 + r.Int64N(60e6), Kind: mem.Leave, Node: node})
		}
		left := s.without(gone)
		if done, err := s.w.Run(3*deadline, s.over(left)); err != nil || !done {
			t.Fatalf("seed %d: %v, %v: %d peers, %b gone: %v, %v", seed, done, err, s.peers, gone, s.sums, s.failed)
		}
		s.check(left)
		if gone != 0 {
			fewer++
		}
	}
	if fewer < 100 {
		t.Errorf("peers have left in %d runs, want more", fewer)
	}
}

// TestCollectiveFails: where nobody is done without, all who are left learn who is lost.
func TestCollectiveFails(t *testing.T) {
	for seed := range uint64(50) {
		s := newSumming(t, seed, collective.Fail, mem.Config{Delay: 1e6, Jitter: 2e6}, false, 1<<20)
		s.w.Strike(mem.Fault{At: 20e6 + int64(seed)*1e5, Kind: mem.Leave, Node: 1})
		left := s.without(1 << 1)
		done, err := s.w.Run(deadline, func() bool {
			for _, r := range left {
				if s.failed[r] == nil {
					return false
				}
			}
			return true
		})
		if err != nil || !done {
			t.Fatalf("seed %d: %v, %v", seed, err, s.failed)
		}
		for _, r := range left {
			var who *collective.RankError
			if !errors.As(s.failed[r], &who) || who.Rank != 1 || !errors.Is(s.failed[r], collective.ErrLost) {
				t.Fatalf("seed %d: peer %d: %v", seed, r, s.failed[r])
			}
		}
	}
}
