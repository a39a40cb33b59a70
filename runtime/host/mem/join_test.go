package mem_test

import (
	"cmp"
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

// stepping is peers that make steps; some restart without their state.
type stepping struct {
	t      *testing.T
	seed   uint64
	w      *mem.Network
	peers  int
	steps  int
	states []map[int]string // by peer and step, of the present incarnation
	began  []int64          // when each has made its first step
	failed []error
}

func newStepping(t *testing.T, seed uint64, peers, steps int, c mem.Config, rc runtime.Config) *stepping {
	c.Seed = seed
	s := &stepping{t: t, seed: seed, w: mem.New(c), peers: peers, steps: steps, states: make([]map[int]string, peers), began: make([]int64, peers), failed: make([]error, peers)}
	for rank := range peers {
		rc.Rank = rank
		s.w.Add(rc, func() *runtime.Partition { return handmade.Stepper(rank, steps, 5) })
	}
	s.w.Started = func(i int, n *runtime.Node) {
		s.states[i], s.began[i], s.failed[i] = map[int]string{}, 0, nil
		if _, err := n.Invoke(n.Now(), "step", tensor.Of([]int64{0})); err != nil {
			t.Error(err)
		}
	}
	s.w.Told = s.told
	return s
}

func (s *stepping) told(i int, e runtime.Event) {
	switch e.Kind {
	case runtime.Emitted:
		x := tensor.Data[float64](e.Value.(*tensor.Tensor))
		s.states[i][int(x[0])] = fmt.Sprint(x[1:])
		s.began[i] = cmp.Or(s.began[i], s.w.Now())
	case runtime.Failed:
		s.failed[i] = cmp.Or(s.failed[i], e.Err)
	}
}

// same checks that all remaining peers have the same state after each step that both made, and have made the
// last one.
func (s *stepping) same(left []int) {
	for _, i := range left {
		if s.states[i][s.steps] == "" {
			s.t.Fatalf("seed %d: peer %d has not made the last step: %v", s.seed, i, s.failed[i])
		}
		for step, state := range s.states[i] {
			if other := s.states[left[0]][step]; other != "" && other != state {
				s.t.Fatalf("seed %d: after step %d peer %d has %s, peer %d has %s", s.seed, step, i, state, left[0], other)
			}
		}
	}
}

func (s *stepping) over(who []int) func() bool {
	return func() bool {
		for _, i := range who {
			if s.states[i][s.steps] == "" && s.failed[i] == nil {
				return false
			}
		}
		return true
	}
}

// TestJoins: peers die and restart without a state, one after the other, while others make steps. Each gets the
// state, and all end with the same.
func TestJoins(t *testing.T) {
	late := 0 // that have not made the first steps in their last incarnation
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 10))
		peers := 3 + r.IntN(6)
		s := newStepping(t, seed, peers, 150, mem.Config{Delay: 1e6, Jitter: 2e6, Loss: 0.02, Duplicate: 0.02}, runtime.Config{Heartbeat: 20e6})
		for k := range 3 {
			s.w.Strike(mem.Fault{At: 30e6 + int64(k)*200e6 + r.Int64N(50e6), For: 1 + r.Int64N(50e6), Kind: mem.Crash, Node: r.IntN(peers)})
		}
		var all []int
		for i := range peers {
			all = append(all, i)
		}
		if done, err := s.w.Run(deadline, s.over(all)); err != nil || !done {
			t.Fatalf("seed %d: %v, %v: %v", seed, done, err, s.failed)
		}
		s.same(all)
		for i := range peers {
			if s.states[i][1] == "" {
				late++
			}
		}
	}
	if late < 30 {
		t.Errorf("%d peers have joined, want more", late)
	}
}

// TestJoinsAbsent: a peer that connects after the others have begun, and have continued without it after a
// minute, gets the state when it comes.
func TestJoinsAbsent(t *testing.T) {
	s := newStepping(t, 1, 4, 3000, mem.Config{Delay: 1e6, Jitter: 1e6}, runtime.Config{Heartbeat: 20e6})
	s.w.Strike(mem.Fault{At: 1, For: 61e9, Kind: mem.Crash, Node: 3})
	all := []int{0, 1, 2, 3}
	if done, err := s.w.Run(3*deadline, s.over(all)); err != nil || !done {
		t.Fatalf("%v, %v: %v", done, err, s.failed)
	}
	s.same(all)
	if s.states[3][1] != "" {
		t.Error("peer 3 has made the first step, and others had before it came")
	}
}

// TestMinorityStops: the smaller part of a partitioned network makes no step that the larger one does not make.
func TestMinorityStops(t *testing.T) {
	for seed := range uint64(30) {
		s := newStepping(t, seed, 5, 200, mem.Config{Delay: 1e6, Jitter: 2e6}, runtime.Config{Heartbeat: 20e6})
		for _, a := range []int{0, 1} {
			for _, b := range []int{2, 3, 4} {
				s.w.Strike(mem.Fault{At: 100e6, For: 20e9, Kind: mem.Cut, Node: a, Other: b})
				s.w.Strike(mem.Fault{At: 100e6, For: 20e9, Kind: mem.Cut, Node: b, Other: a})
			}
		}
		all := []int{0, 1, 2, 3, 4}
		if done, err := s.w.Run(deadline, s.over(all)); err != nil || !done {
			t.Fatalf("seed %d: %v, %v: %v", seed, done, err, s.failed)
		}
		s.same([]int{2, 3, 4})
		for _, i := range []int{0, 1} {
			if err := s.failed[i]; !errors.Is(err, collective.ErrMinority) && !errors.Is(err, collective.ErrLeftOut) {
				t.Fatalf("seed %d: peer %d: %v", seed, i, err)
			}
			for step, state := range s.states[i] {
				if other := s.states[2][step]; other != state && s.states[i][step+1] != "" {
					t.Fatalf("seed %d: after step %d peer %d has %s, the others %s", seed, step, i, state, other)
				}
			}
		}
	}
}
