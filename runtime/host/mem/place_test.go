package mem_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// TestLearnedPlaces has a server train with clients whose addresses it does not know. They dial it once. When a connection
// breaks, the server has to dial, at the address that the client has told it.
func TestLearnedPlaces(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 60
	}
	dials := 0
	for seed := range uint64(n) {
		k, err := playPlaces(seed)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		dials += k
	}
	if dials < n {
		t.Errorf("the server has dialed %d times in %d runs, want once in each at least", dials, n)
	}
}

// playPlaces returns how many channels the server has opened.
func playPlaces(seed uint64) (dials int, err error) {
	r := rand.New(rand.NewPCG(seed, 31))
	count, clients := 3+r.IntN(3), 2+r.IntN(2)
	c := mem.Config{Seed: seed, Delay: 1 + r.Int64N(5e6), Jitter: r.Int64N(20e6), Loss: r.Float64() * 0.2, Duplicate: r.Float64() * 0.2, Command: r.Int64N(50e6),
		Persist: r.Int64N(10e6), Heal: faultEnd, Places: true, Faults: mem.Faults(r, 8, clients+1, faultEnd), Verify: true}
	for range 3 { // one of them at least is between the server and a client
		c.Faults = append(c.Faults, mem.Fault{At: r.Int64N(faultEnd), Kind: mem.Break, Other: 1 + r.IntN(clients)})
	}
	w := mem.New(c)
	w.Opened = func(from, _ int) {
		if from == 0 {
			dials++
		}
	}
	params, got := []float64{8, -3}, map[string]bool{}
	w.Told = func(i int, e runtime.Event) {
		switch e.Kind {
		case runtime.Emitted:
			got[fmt.Sprint(e.Value.(*tensor.Tensor).Data)] = true
		case runtime.Failed, runtime.Overflow, runtime.Refused:
			err = fmt.Errorf("node %d: %v %s %v", i, e.Kind, e.Name, e.Err)
		}
	}
	w.Started = func(i int, n *runtime.Node) {
		if i == 0 {
			if _, e := n.Invoke(n.Now(), "server", vector(params)); e != nil {
				err = e
			}
		}
	}
	var known []runtime.PeerConfig // to the server, without addresses
	for i := range clients {
		known = append(known, runtime.PeerConfig{ID: mem.PeerID(1 + i), Class: "client", Rank: i})
	}
	w.Add(runtime.Config{Durable: true, Peers: known}, func() *runtime.Partition { return handmade.Server(count, clients, deadline) })
	for i := range clients {
		server := []runtime.PeerConfig{{ID: mem.PeerID(0), Class: "server", Addresses: []wire.Address{mem.Place(0)}}}
		w.Add(runtime.Config{Rank: i, Durable: true, Peers: server}, func() *runtime.Partition { return handmade.Client(&handmade.Trainer{Rank: i}) })
	}
	var want []string
	for k := range count {
		want = append(want, fmt.Sprint(handmade.Rounds(params, k+1, clients)))
	}
	done, e := w.Run(deadline, func() bool {
		for _, x := range want {
			if !got[x] {
				return err != nil
			}
		}
		return true
	})
	switch {
	case e != nil || err != nil:
		return 0, fmt.Errorf("%w %w", e, err)
	case !done:
		return 0, fmt.Errorf("%d of %d rounds ended", len(got), count)
	case len(got) > len(want):
		return 0, fmt.Errorf("got %v, want %v", got, want)
	}
	return dials, nil
}
