package handmade_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestRoundsRestarted: peers that continue from their snapshots have the results of those that never stopped.
func TestRoundsRestarted(t *testing.T) {
	const peers, rounds, end = 3, 6, int64(500e6)
	want := handmade.Rounds([]float64{8}, rounds, peers-1)
	for seed := range uint64(8) {
		w := mem.New(mem.Config{Seed: seed, Delay: 1e6, Loss: 0.1, Heal: end, Faults: mem.Faults(rand.New(rand.NewPCG(seed, 1)), 8, peers, end)})
		w.Add(runtime.Config{Durable: true}, func() *runtime.Partition {
			p := handmade.Server(rounds, 2, 60e9)
			p.Modules[0].Bootstrap = true // it gets its input again if that was lost
			return p
		})
		for rank := range peers - 1 {
			w.Add(runtime.Config{Rank: rank, Durable: true}, func() *runtime.Partition { return handmade.Client(&handmade.Trainer{Rank: rank}) })
		}
		w.Booting = func(_ int, n *runtime.Node) {
			for _, module := range n.NotBooted() {
				if _, err := n.Invoke(n.Now(), module, vector(8)); err != nil {
					t.Error(err)
				}
			}
		}
		done := false
		w.Told = func(_ int, e runtime.Event) {
			if e.Kind == runtime.Emitted {
				done = done || slices.Equal(tensor.Data[float64](e.Value.(*tensor.Tensor)), want)
			}
		}
		if _, err := w.Run(600e9, func() bool { return done }); err != nil || !done {
			t.Errorf("seed %d: the result %v does not come, %v", seed, want, err)
		}
	}
}
