package sim

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/wire"
)

// TestFaults: faults differ from seed to seed, the same seed gives the same ones, and the messages of a network with faults
// take other times than those of one without.
func TestFaults(t *testing.T) {
	args := func(seed string) []string {
		return []string{"-n", "a=3,b=2", "-for", "20s", "-chaos", "faults=8,loss=5%,delay=20ms", "-seed", seed}
	}
	seen := map[string]bool{}
	for _, seed := range []string{"1", "2", "3"} {
		_, text := do(t, clockwork("a", "b"), args(seed)...)
		if _, again := do(t, clockwork("a", "b"), args(seed)...); again != text {
			t.Errorf("seed %s: the second run differs", seed)
		}
		seen[text] = true
	}
	if len(seen) != 3 {
		t.Errorf("three seeds give %d runs", len(seen))
	}
	quiet := options{seed: 1, ranks: [][]int{{0, 1}, {0}}}
	if c := quiet.network(); c.Faults != nil || quiet.durable() {
		t.Errorf("without faults there are %v", c.Faults)
	}
	loud := quiet
	loud.chaos.Faults = 50
	c := loud.network()
	if len(c.Faults) == 0 || !loud.durable() {
		t.Errorf("of 50 faults there are %d", len(c.Faults))
	}
	again, other := loud, loud
	other.seed = 2
	if !slices.Equal(c.Faults, again.network().Faults) || slices.Equal(c.Faults, other.network().Faults) {
		t.Error("the faults do not follow from the seed")
	}
	for _, f := range c.Faults {
		if f.Node < 0 || f.Node > 2 || f.Kind == mem.Cut && f.Node == f.Other {
			t.Errorf("%v, of three peers", f)
		}
	}
}

// TestPartitionFails: a class whose components cannot be made ends the program, with the peer's name.
func TestPartitionFails(t *testing.T) {
	p := clockwork("a", "b")
	p.Classes[1].Partition = func(env runtime.Env) (*runtime.Partition, error) {
		if env.Rank == 1 {
			return nil, errors.New("slot Data: there is no folder")
		}
		return clockwork("b").Classes[0].Partition(env)
	}
	var out, errs strings.Builder
	if err := Do(p, []string{"-n", "b=2"}, &out, &errs); err == nil || err.Error() != "b 1: slot Data: there is no folder" || out.Len() > 0 {
		t.Errorf("got %v after %q", err, &out)
	}
}

// TestEnv: each peer is given its class, its rank, the seed and an identity of its own.
func TestEnv(t *testing.T) {
	p := clockwork("a", "b")
	var envs []runtime.Env
	for i, c := range p.Classes {
		p.Classes[i].Partition = func(env runtime.Env) (*runtime.Partition, error) {
			envs = append(envs, env)
			return c.Partition(env)
		}
	}
	do(t, p, "-n", "a=2,b=1", "-seed", "9", "-for", "1ms")
	if len(envs) != 3 {
		t.Fatalf("%d partitions are made, want one for each peer", len(envs))
	}
	for i, want := range []struct {
		class string
		rank  int
	}{{"a", 0}, {"a", 1}, {"b", 0}} {
		if e := envs[i]; e.Class != want.class || e.Rank != want.rank || e.Seed != 9 || e.Data != nil || e.Context == nil {
			t.Errorf("peer %d is given %+v, want %v", i, e, want)
		}
	}
	draws := map[[8]byte]bool{}
	for _, e := range envs {
		var b [8]byte
		if _, err := io.ReadFull(e.Random, b[:]); err != nil {
			t.Fatal(err)
		}
		draws[b] = true
	}
	if len(draws) != 3 {
		t.Error("two peers draw the same numbers")
	}
}

// TestNameOf: peers are called by class and rank, and those of no class by their ids.
func TestNameOf(t *testing.T) {
	r := &run{names: map[wire.PeerID]string{mem.PeerID(0): "a-0"}}
	if r.nameOf(mem.PeerID(0)) != "a-0" || r.nameOf(mem.PeerID(1)) != mem.PeerID(1).String() {
		t.Errorf("they are called %s and %s", r.nameOf(mem.PeerID(0)), r.nameOf(mem.PeerID(1)))
	}
}
