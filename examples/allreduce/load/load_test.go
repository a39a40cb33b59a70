package load

import (
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Each round belongs to one step, in their order, and only the first round of a step is its warm-up.
func TestOf(t *testing.T) {
	round := int64(0)
	for _, step := range Plan {
		for i := range step.Rounds {
			if s, first := Of(round); s != step || first != (i == 0) {
				t.Errorf("round %d: %+v %v, want %+v %v", round, s, first, step, i == 0)
			}
			round++
		}
	}
	if int(round) != Rounds() {
		t.Errorf("%d rounds, want %d", Rounds(), round)
	}
}

// The vectors of all peers have the sum that Check expects, in each round. An algorithm that is not measured sums one element.
func TestSums(t *testing.T) {
	var peers [Peers]Load
	for rank := range peers {
		if err := peers[rank].Open(runtime.Env{Rank: rank}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		round, algorithm int64
		elements         int
	}{{0, 0, 1 << 10}, {15, 4, 1 << 10}, {16, 0, 1 << 18}, {24, 0, 1}, {24, 1, 1}, {27, 2, 1 << 22}} {
		sum := tensor.NewDense[float32](c.elements)
		for rank := range peers {
			x, err := peers[rank].Make(c.round, c.algorithm)
			if err != nil || len(x.Data) != c.elements {
				t.Fatalf("%+v: %d elements %v", c, len(x.Data), err)
			}
			for i, v := range x.Data {
				sum.Data[i] += v
			}
		}
		if ok, err := peers[0].Check(sum); !ok || err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		sum.Data[c.elements-1]++
		if ok, err := peers[0].Check(sum); ok || err == nil {
			t.Errorf("%+v: a wrong last element is not noticed", c)
		}
	}
}

func TestRunsUnknown(t *testing.T) {
	if (Step{Only: "none"}).Runs(0) {
		t.Error("an algorithm runs in a step whose first algorithm is unknown")
	}
}
