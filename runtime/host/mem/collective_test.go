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
	"github.com/bbgen/bbgen/runtime/wire"
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
	sums      []map[uint64]string // by peer and execution, as told in events
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

// first returns the initial value of a rank.
func (s *summing) first(rank int) []float64 {
	return handmade.Contribution(rank, make([]float64, s.size))
}

// sum returns the plain computation of a round, for a set of ranks.
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
	tensor.SetRaw(out, spec.Evaluate(in)[0])
	return out
}

// without returns all ranks except some.
func (s *summing) without(gone uint) (ranks []int) {
	for r := range s.peers {
		if gone>>r&1 == 0 {
			ranks = append(ranks, r)
		}
	}
	return ranks
}

// check checks that all remaining peers have reported, for all rounds, sums of sets of ranks that include the
// remaining ones and never grow.
func (s *summing) check(left []int) {
	most := uint(0) // the ranks that may be missing
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

// over returns a function that reports whether these peers have reported all rounds.
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

// TestCollectiveWaits: peers crash and continue from their snapshots, and messages are lost, duplicated and
// corrupted; the sums are those of the plain computation.
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

// TestCollectiveRepeats: peers leave for good, and the others finish all rounds with the same sums of the
// remaining peers. A peer that has never connected is waited for, for a minute.
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

// TestCollectiveFails: with the policy to fail, all remaining peers learn which peers are lost.
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

// three returns three peers, of which one fails in the second round if failing is set, and starts some of them.
func three(t *testing.T, c mem.Config, failing bool, started func(i int) bool) (*mem.Network, *[3][]runtime.Event) {
	w := mem.New(c)
	told := new([3][]runtime.Event)
	for rank := range 3 {
		w.Add(runtime.Config{Rank: rank}, func() *runtime.Partition {
			if failing && rank == 1 {
				return handmade.FailingReducer(rank, 5, collective.Ring, collective.Repeat, 1)
			}
			return handmade.Reducer(rank, 5, collective.Ring, collective.Repeat)
		})
	}
	w.Started = func(i int, n *runtime.Node) {
		if !started(i) {
			return
		}
		if _, err := n.Invoke(n.Now(), "reducer", vector(make([]float64, 9))); err != nil {
			t.Error(err)
		}
	}
	w.Told = func(i int, e runtime.Event) { told[i] = append(told[i], e) }
	return w, told
}

func everybody(int) bool { return true }

// TestCollectiveAborted: if a peer's code fails before it gives its value, the call fails on the others, and
// the error names the peer.
func TestCollectiveAborted(t *testing.T) {
	w, told := three(t, mem.Config{Delay: 1e6}, true, everybody)
	failed := func(i int) error {
		for _, e := range told[i] {
			if e.Kind == runtime.Failed {
				return e.Err
			}
		}
		return nil
	}
	done, err := w.Run(deadline, func() bool { return failed(0) != nil && failed(1) != nil && failed(2) != nil })
	if err != nil || !done {
		t.Fatalf("%v, %v", err, told)
	}
	for _, i := range []int{0, 2} {
		var who *collective.RankError
		if err := failed(i); !errors.As(err, &who) || who.Rank != 1 || !errors.Is(err, collective.ErrAborted) {
			t.Errorf("peer %d: %v", i, err)
		}
	}
}

// TestCollectiveMissing: a live peer that does not call is reported as missing, and asked whether it still takes part.
// In the ring, peer 0 waits for peer 2, and peer 1 for peer 0.
func TestCollectiveMissing(t *testing.T) {
	w, told := three(t, mem.Config{Delay: 1e6}, false, func(i int) bool { return i != 2 })
	asked := 0
	w.Sent = func(from, to int, _ uint64, e *wire.Envelope) {
		for i := range e.Fills {
			var m collective.Message
			if from == 0 && to == 2 && m.SetWords(e.Fills[i].Dims) == nil && m.Type == collective.Ask {
				asked++
			}
		}
	}
	if _, err := w.Run(200e9, func() bool { return false }); err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, e := range told[0] {
		if e.Kind == runtime.Missing && e.Name == "sum" && e.Peer == mem.PeerID(2) {
			named++
		}
	}
	if named == 0 || named > 3 {
		t.Errorf("peer 0 receives %d reports of missing peers: %v", named, told[0])
	}
	if asked != named {
		t.Errorf("peer 0 asks peer 2 %d times, want %d", asked, named)
	}
}

// TestCollectiveLies: whatever a peer sends in place of chunks, the others continue or fail, and refuse only
// messages of the liar.
func TestCollectiveLies(t *testing.T) {
	refused := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 8))
		w, told := three(t, mem.Config{Delay: 1e6, Seed: seed}, false, everybody)
		w.Forge = func(from, to int, e *wire.Envelope) bool {
			if from != 1 || len(e.Fills) == 0 || r.IntN(3) > 0 {
				return false
			}
			f := &e.Fills[0]
			switch r.IntN(4) {
			case 0:
				f.Payload = f.Payload[:r.IntN(len(f.Payload)+1)]
			case 1:
				f.Dims = f.Dims[:r.IntN(len(f.Dims)+1)]
			default:
				for range 1 + r.IntN(2) {
					f.Dims[r.IntN(len(f.Dims))] = uint64(r.IntN(40))
				}
			}
			return true
		}
		if _, err := w.Run(5e9, func() bool { return false }); err != nil {
			t.Fatal(err)
		}
		for i := range told {
			for _, e := range told[i] {
				if e.Kind != runtime.Refused {
					continue
				}
				refused++
				if e.Peer != mem.PeerID(1) && i != 1 {
					t.Errorf("seed %d: peer %d refuses %v: %v", seed, i, e.Peer, e.Err)
				}
			}
		}
	}
	if refused < 50 {
		t.Errorf("%d messages were refused, want more", refused)
	}
}

// TestCollectiveBreaks: a broken channel between live peers is opened again, and no peer counts as lost.
func TestCollectiveBreaks(t *testing.T) {
	for seed := range uint64(100) {
		for _, lost := range []collective.IfLost{collective.Fail, collective.Repeat} {
			s := newSumming(t, seed, lost, mem.Config{Delay: 1e6, Jitter: 2e6}, false, 8)
			r := rand.New(rand.NewPCG(seed, 9))
			for range 6 {
				node := r.IntN(s.peers)
				s.w.Strike(mem.Fault{At: r.Int64N(80e6), Kind: mem.Break, Node: node, Other: (node + 1) % s.peers})
			}
			all := s.without(0)
			if done, err := s.w.Run(deadline, s.over(all)); err != nil || !done {
				t.Fatalf("seed %d: %v: %v, %v: %v", seed, lost, done, err, s.failed)
			}
			s.check(all)
		}
	}
}
