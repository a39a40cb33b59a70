package program_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"

	postFront "github.com/bbgen/bbgen/generated_test/program/post/peer/front/partition"
	postWorker "github.com/bbgen/bbgen/generated_test/program/post/peer/worker/partition"
)

// posted is the events of a front: values by name, and refusals.
type posted struct {
	values  []string
	refused []error
}

// post runs the program post with a front and three workers. The front asks one peer and several of its peers
// for the square of 3.
func post(t *testing.T, seed uint64, faults []mem.Fault, to wire.PeerID, all []wire.PeerID, count int) *posted {
	t.Helper()
	ms := int64(time.Millisecond)
	net := mem.New(mem.Config{Seed: seed, Delay: ms, Jitter: ms, Command: ms, Persist: ms, Faults: faults, Verify: true})
	for i := range 4 {
		class, create := "worker", postWorker.Default
		if i == 0 {
			class, create = "front", postFront.Default
		}
		env := runtime.Env{Class: class, Rank: max(i-1, 0), Seed: seed, Random: mem.Random(seed, i), Identity: mem.Identity(i)}
		net.Add(runtime.Config{Rank: env.Rank, Durable: true}, func() *runtime.Partition { return made(t, create, env) })
	}
	p := &posted{}
	net.Started = func(i int, n *runtime.Node) {
		if i > 0 {
			return
		}
		if _, err := n.Invoke(n.Now(), "front", values.PeerNames(to), values.PeerNames(all...), tensor.Of([]float32{3}, 1)); err != nil {
			t.Fatal(err)
		}
	}
	net.Told = func(i int, e runtime.Event) {
		switch {
		case i == 0 && e.Kind == runtime.Emitted:
			if v := fmt.Sprint(e.Name, e.Value.(*tensor.Tensor).Data); !slices.Contains(p.values, v) {
				p.values = append(p.values, v)
			}
		case i == 0 && e.Kind == runtime.Refused:
			p.refused = append(p.refused, e.Err)
		case e.Kind == runtime.Failed:
			t.Errorf("seed %d: %v", seed, e.Err)
		}
	}
	if ok, err := net.Run(int64(time.Hour), func() bool { return len(p.values) == count }); err != nil || !ok {
		t.Fatalf("seed %d: %v, got %v", seed, err, p.values)
	}
	slices.Sort(p.values)
	return p
}

// TestPost tests that exactly the peers named by the host answer: at once, or later if the request was
// queued.
func TestPost(t *testing.T) {
	for seed := range uint64(20) {
		var faults []mem.Fault
		if seed > 0 {
			faults = mem.Faults(rand.New(rand.NewPCG(seed, 1)), 4, 4, int64(200*time.Millisecond))
		}
		p := post(t, seed, faults, mem.PeerID(2), []wire.PeerID{mem.PeerID(1), mem.PeerID(3)}, 3)
		if want := []string{"later[-3]", "mean[9]", "reply[6]"}; !slices.Equal(p.values, want) {
			t.Errorf("seed %d: got %v, want %v", seed, p.values, want)
		}
	}
}

// A missing peer, or one of another class, is refused by its name.
func TestPostRefused(t *testing.T) {
	for _, c := range []struct {
		to   wire.PeerID
		want error
	}{{mem.PeerID(0), runtime.ErrEdge}, {mem.PeerID(9), runtime.ErrUnknownPeer}} {
		p := post(t, 1, nil, c.to, []wire.PeerID{mem.PeerID(1)}, 1)
		if len(p.refused) != 1 || !errors.Is(p.refused[0], c.want) || p.values[0] != "mean[9]" {
			t.Errorf("got %v and %v, want %v", p.values, p.refused, c.want)
		}
	}
}
