package mem_test

import (
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestDrawn runs random programs under faults of the kinds that only DrawFaults draws: hangs, and disks that are full
// or fail to sync, and restarts behind a last snapshot, beside crashes. The result is that of the plain computation.
func TestDrawn(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		faults := mem.DrawFaults(r, 8, 2, faultEnd, mem.Crash, mem.CrashSaved, mem.Hang, mem.DiskFull, mem.SyncFails, mem.Restart)
		if _, _, err := play(seed, faults, nil); err != nil {
			t.Fatalf("seed %d, %v: %v", seed, faults, err)
		}
	}
}

// TestMembers: a peer that joins while the others run is admitted and talks with them, also after those have started
// again; one that is blocked is refused.
func TestMembers(t *testing.T) {
	w := mem.New(mem.Config{Seed: 1, Delay: 1e6, Faults: []mem.Fault{{At: 3e9, For: 1e8, Kind: mem.Crash}}})
	answers := map[float64]bool{} // a crash may repeat one
	w.Told = func(i int, e runtime.Event) {
		if i == 0 && e.Kind == runtime.Emitted {
			answers[tensor.Data[float64](e.Value.(*tensor.Tensor))[0]] = true
		}
	}
	w.Add(runtime.Config{Durable: true}, func() *runtime.Partition { return handmade.Ping(1) })
	w.AddAbsent(runtime.Config{Durable: true}, handmade.Pong)
	asked := 0.0
	ask := func() {
		asked++
		if err := w.Invoke(0, "ping", vector([]float64{10 * asked})); err != nil {
			t.Error(err)
		}
	}
	after := func(at int64, want int) {
		t.Helper()
		if _, err := w.Run(at, func() bool { return w.Now() >= at }); err != nil || len(answers) != want {
			t.Fatalf("at %d there are the answers %v, want %d (%v)", at, answers, want, err)
		}
	}
	w.After(1e9, func() { w.Join(0, 1) })
	w.After(2e9, ask)
	w.After(4e9, ask)
	w.After(5e9, func() { w.Block(0, 1) })
	after(25e8, 1)
	after(45e8, 2)
	w.After(1e9, ask)
	after(8e9, 2)
}
