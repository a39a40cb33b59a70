package model

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Shards of a weight stand one after the other in the memory of the optimizer's state.
func TestShards(t *testing.T) {
	got := Shards([]Shard{{From: 2, To: 5}, {From: 5, To: 5}, {From: 7, To: 9}})
	if want := []Shard{{2, 5, 0}, {5, 5, 3}, {7, 9, 3}}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	if s := got[2]; s.Len() != 2 || s.End() != 5 {
		t.Errorf("the last one has %d elements and ends at %d, want 2 and 5", s.Len(), s.End())
	}
	if len(Shards(nil)) != 0 {
		t.Error("there are shards of nothing")
	}
}

// Shards that do not ascend would share memory.
func TestShardsThatOverlap(t *testing.T) {
	for _, list := range [][]Shard{
		{{From: 3, To: 2}},
		{{From: 0, To: 4}, {From: 3, To: 5}},
		{{From: 4, To: 5}, {From: 0, To: 1}},
		{{From: -1, To: 1}},
	} {
		func() {
			defer func() {
				if r := recover(); r != "BUG: the kept elements of a weight do not ascend" {
					t.Errorf("%v: %v", list, r)
				}
			}()
			Shards(list)
		}()
	}
}

// TestOptimizerState: what was kept and is kept has its value, wherever it moves; the rest begins with its initial value.
func TestOptimizerState(t *testing.T) {
	was := Shards([]Shard{{From: 2, To: 5}, {From: 8, To: 10}})
	old := []float32{2, 3, 4, 8, 9}
	initial := tensor.Of([]float32{100, 101, 102, 103, 104, 105, 106, 107, 108, 109}, 10).Bytes()
	for _, c := range []struct {
		now        []Shard
		fresh      string // without initial values
		continuing string // with them
	}{
		{[]Shard{{From: 0, To: 10}}, "[0 0 2 3 4 0 0 0 8 9]", "[100 101 2 3 4 105 106 107 8 9]"},
		{[]Shard{{From: 4, To: 9}}, "[4 0 0 0 8]", "[4 105 106 107 8]"},
		{[]Shard{{From: 3, To: 4}, {From: 9, To: 10}}, "[3 9]", "[3 9]"},
		{[]Shard{{From: 5, To: 8}}, "[0 0 0]", "[105 106 107]"},
		{[]Shard{{From: 6, To: 6}}, "[]", "[]"},
		{nil, "[]", "[]"},
	} {
		now := Shards(c.now)
		if got := fmt.Sprint(OptimizerState(old, was, now, nil)); got != c.fresh {
			t.Errorf("%v: got %s, want %s", c.now, got, c.fresh)
		}
		if got := fmt.Sprint(OptimizerState(old, was, now, initial)); got != c.continuing {
			t.Errorf("%v: got %s with initial values, want %s", c.now, got, c.continuing)
		}
	}
	if OptimizerState(old, was, nil, initial) != nil {
		t.Error("nothing is kept, and there is memory for it")
	}
}

// divided returns shards of n elements with arbitrary bounds.
func divided(r *rand.Rand, n int) []Shard {
	var list []Shard
	for at := 0; at < n; {
		from := at + r.IntN(4)
		to := from + r.IntN(5)
		if to > n {
			break
		}
		list = append(list, Shard{From: from, To: to})
		at = to + 1
	}
	return Shards(list)
}

// Any series of divisions keeps exactly what each division has in common with the one before.
func TestOptimizerStateOfAnyShards(t *testing.T) {
	const n = 40
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		shards := Shards([]Shard{{From: 0, To: n}})
		state := make([]int64, n) // of the shards
		want := make([]int64, n)  // of all elements; 0 if one is not kept
		for i := range n {
			state[i], want[i] = int64(i+1), int64(i+1)
		}
		for range 4 {
			next := divided(r, n)
			state, shards = OptimizerState(state, shards, next, nil), next
			kept := make([]int64, n)
			var got []int64
			for _, s := range shards {
				copy(kept[s.From:s.To], want[s.From:s.To])
				got = append(got, kept[s.From:s.To]...)
			}
			if want = kept; !slices.Equal(state, got) {
				t.Fatalf("seed %d: the state of %v is %v, want %v", seed, shards, state, got)
			}
		}
	}
}

// TestIfKept: commands save the state of the optimizer with the shape of the weight, if all of it is kept.
func TestIfKept(t *testing.T) {
	for _, c := range []struct {
		data []float32
		want string
	}{
		{make([]float32, 6), "[2 3]"},
		{make([]float32, 4), "[4]"},
		{make([]float32, 0), "[0]"},
	} {
		if got := IfKept(c.data, 2, 3); fmt.Sprint(got.Shape) != c.want || got.Len() != len(c.data) {
			t.Errorf("%d elements have shape %v, want %s", len(c.data), got.Shape, c.want)
		}
	}
	if IfKept[float32](nil, 2, 3) != nil {
		t.Error("there is a tensor of a state that is not kept")
	}
	if got := IfKept([]float32{7}); len(got.Shape) != 0 || got.Len() != 1 {
		t.Errorf("a scalar has shape %v", got.Shape)
	}
}
