package program_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bbgen/bbgen/generated_test/program/drifting"
	"github.com/bbgen/bbgen/generated_test/program/drifting/parts"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"

	driftClient "github.com/bbgen/bbgen/generated_test/program/drifting/peer/client/partition"
	driftServer "github.com/bbgen/bbgen/generated_test/program/drifting/peer/server/partition"
	driftStore "github.com/bbgen/bbgen/generated_test/program/drifting/peer/store/partition"
	driftWalker "github.com/bbgen/bbgen/generated_test/program/drifting/peer/walker/partition"
)

// drifted is the last model of each strategy.
type drifted struct {
	models map[string]float64
	newest int64 // version of the model without rounds
}

// drifts runs the program. Each peer keeps snapshots.
func drifts(t *testing.T, seed uint64, faults []mem.Fault) drifted {
	t.Helper()
	ms := int64(time.Millisecond)
	net := mem.New(mem.Config{Seed: seed, Delay: ms, Jitter: ms, Command: 10 * ms, Persist: ms, Faults: faults})
	add := func(class string, rank int, create func(runtime.Env) (*runtime.Partition, error)) {
		net.Add(runtime.Config{Rank: rank, Durable: true}, func() *runtime.Partition {
			return made(t, create, runtime.Env{Class: class, Rank: rank, Seed: seed})
		})
	}
	add("server", 0, driftServer.Default)
	add("store", 0, driftStore.Default)
	for i := range drifting.Clients {
		add("client", i, driftClient.Default)
		add("walker", i, driftWalker.Default)
	}
	d, ended := drifted{models: map[string]float64{}}, map[int]bool{}
	net.Told = func(i int, e runtime.Event) {
		switch {
		case e.Kind == runtime.Emitted && e.Name == "newest":
			d.newest = max(d.newest, tensor.Data[int64](e.Value.(*tensor.Tensor))[0])
		case e.Kind == runtime.Emitted:
			d.models[e.Name] = float64(tensor.Data[float32](e.Value.(*tensor.Tensor))[0])
		case e.Kind == runtime.Failed:
			t.Errorf("seed %d: peer %d: %v", seed, i, e.Err)
		case e.Kind == runtime.Published && e.Name == runtime.LoopDone:
			ended[i] = true
		}
	}
	idle := func() bool {
		if len(ended) < 1+drifting.Clients {
			return false
		}
		n := net.Node(1) // the store may still get reports
		return n != nil && n.Stats().Live == 0
	}
	if ok, err := net.Run(int64(time.Hour), idle); err != nil || !ok {
		t.Fatalf("seed %d, %v: %d loops end, want %d: %v", seed, faults, len(ended), 1+drifting.Clients, err)
	}
	return d
}

// check checks the orders in the papers. If all make the same number of steps, FedAvg converges away from the
// best model, FedProx nearer to it, SCAFFOLD and FedDyn to it. If the numbers of steps differ, FedNova is
// nearer than their mean.
func (d drifted) check(t *testing.T) {
	t.Helper()
	off := func(name string) float64 { return math.Abs(d.models[name] - parts.Best(drifting.Clients)) }
	if len(d.models) != 7 {
		t.Fatalf("models %v, want one of each strategy", d.models)
	}
	if !(off("prox") < off("average") && off("scaffold") < off("prox")/10 && off("dyn") < off("prox")/10) {
		t.Errorf("FedAvg is off by %v, FedProx by %v, SCAFFOLD by %v, FedDyn by %v, want each less, and the last two near 0", off("average"), off("prox"), off("scaffold"), off("dyn"))
	}
	if plain := math.Abs(meanOfUneven() - parts.Best(drifting.Clients)); off("nova") > plain/2 {
		t.Errorf("FedNova is off by %v, want half of what a mean is at most, %v", off("nova"), plain)
	}
	if x := d.models["buffered"]; x < -1 || x > 2 {
		t.Errorf("without rounds the model is %v, want it between the clients' minima", x)
	}
	if want := int64(drifting.Clients * drifting.Walks / 4); d.newest != want {
		t.Errorf("%d versions, want %d: each change counts once", d.newest, want)
	}
}

// meanOfUneven is the limit of the mean of clients with different numbers of steps.
func meanOfUneven() float64 {
	var sum, weights float64
	for k := range drifting.Clients {
		moved := 1 - math.Pow(1-parts.Rate*parts.Curvature(k), float64(parts.Steps(k)))
		sum += moved * parts.Minimum(k)
		weights += moved
	}
	return sum / weights
}

// Each strategy has the property in its paper. Without rounds the model is near the best one as long as all
// clients take part.
func TestDrifting(t *testing.T) {
	d := drifts(t, 1, nil)
	d.check(t)
	if best := parts.Best(drifting.Clients); math.Abs(d.models["buffered"]-best) > 0.5 {
		t.Errorf("without rounds the model is %v, want about %v", d.models["buffered"], best)
	}
}

// The same holds when peers crash and channels break, as clients and servers keep their state in snapshots.
func TestDriftingUnderFaults(t *testing.T) {
	well := drifts(t, 1, nil)
	ms := int64(time.Millisecond)
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 1))
		faults := mem.Faults(r, 4, 2+2*drifting.Clients, 400*ms)
		for _, node := range []int{0, 1, 2, 3} {
			faults = append(faults, mem.Fault{At: (15 + r.Int64N(300)) * ms, For: 20 * ms, Kind: mem.Crash, Node: node})
		}
		d := drifts(t, seed, faults)
		d.check(t)
		for name, x := range well.models {
			if name != "buffered" && math.Abs(d.models[name]-x) > 1e-4 {
				t.Errorf("seed %d: %s is %v, and %v without faults", seed, name, d.models[name], x)
			}
		}
	}
}
