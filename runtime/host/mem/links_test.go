package mem_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// TestCollectiveLinks: peers that have measured their links choose the algorithm by that, and the sums have the same
// bits: on near links the one that sends fewer bytes, on far ones that of fewer rounds.
func TestCollectiveLinks(t *testing.T) {
	near, nearSums := algorithms(t, 10e3, 0)
	far, farSums := algorithms(t, 50e6, 0)
	if near[0] != far[0] {
		t.Errorf("the first calls are by %v and %v, before anything was measured", near[0], far[0])
	}
	if n, f := near[len(near)-1], far[len(far)-1]; n != collective.Pairwise || f != collective.Direct {
		t.Errorf("the last calls are by %v and %v, want pairwise and direct", n, f)
	}
	for round, sum := range nearSums {
		if farSums[round] != sum {
			t.Errorf("round %d has other bits on other links", round)
		}
	}
}

// TestCollectiveLinksBreak: what peers have measured survives connections that break and messages that come twice: the last
// calls are those of [TestCollectiveLinks].
func TestCollectiveLinksBreak(t *testing.T) {
	for delay, want := range map[int64]collective.Algorithm{10e3: collective.Pairwise, 50e6: collective.Direct} {
		_, sums := algorithms(t, delay, 0)
		chosen, same := algorithms(t, delay, 12)
		if got := chosen[len(chosen)-1]; got != want {
			t.Errorf("the last call is by %v, want %v", got, want)
		}
		if !slices.Equal(same, sums) {
			t.Error("the sums have other bits")
		}
	}
}

// algorithms returns the algorithms of the calls of four peers, and the sums of the first peer. Each message takes delay, and connections
// break so many times.
func algorithms(t *testing.T, delay int64, breaks int) (chosen []collective.Algorithm, sums []string) {
	const peers, rounds = 4, 6
	c := mem.Config{Seed: 1, Delay: delay}
	for i := range breaks {
		c.Duplicate = 0.1
		c.Faults = append(c.Faults, mem.Fault{At: int64(5+3*i) * delay, Kind: mem.Break, Node: i % peers, Other: (i + 1 + i/peers%2) % peers})
	}
	w := mem.New(c)
	for rank := range peers {
		w.Add(runtime.Config{Rank: rank}, func() *runtime.Partition {
			return handmade.Reducer(rank, rounds, collective.Auto, collective.Wait)
		})
	}
	w.Started = func(i int, n *runtime.Node) {
		x := make([]float64, 61<<10/8)
		for k := range x {
			x[k] = 1 / float64(1+i+k)
		}
		if _, err := n.Invoke(n.Now(), "reducer", vector(x)); err != nil {
			t.Error(err)
		}
	}
	w.Told = func(i int, e runtime.Event) {
		if i == 0 && e.Kind == runtime.Emitted {
			sums = append(sums, fmt.Sprint(tensor.Data[float64](e.Value.(*tensor.Tensor))))
		}
	}
	chosen = make([]collective.Algorithm, rounds)
	w.Sent = func(_, _ int, _ uint64, e *wire.Envelope) {
		for i := range e.Fills {
			var m collective.Message
			if err := m.SetWords(e.Fills[i].Dims); err != nil {
				t.Fatal(err)
			}
			if m.Type == collective.Data {
				chosen[m.Call] = m.Algorithm
			}
		}
	}
	if done, err := w.Run(deadline, func() bool { return len(sums) == rounds }); err != nil || !done {
		t.Fatalf("%d rounds, %v", len(sums), err)
	}
	return chosen, sums
}
