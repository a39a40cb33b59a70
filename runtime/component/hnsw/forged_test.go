package hnsw

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
)

// TestForgedStates: a state with changed bytes is refused, or is a graph in which vectors are found, added and removed.
func TestForgedStates(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	x := &Index{M: 4}
	for _, v := range clouds(r, 3, 10, 4, 0.2) {
		if _, err := x.Add(vec(v...)); err != nil {
			t.Fatal(err)
		}
	}
	for id := uint64(3); id < 30; id += 4 {
		if err := x.Remove(id); err != nil {
			t.Fatal(err)
		}
	}
	state, err := x.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	taken := 0
	for range 20_000 {
		forged := bytes.Clone(state)
		for range 1 + r.IntN(2) {
			forged[r.IntN(len(forged))] ^= byte(1 << r.IntN(8))
		}
		y := &Index{M: 4}
		if y.UnmarshalBinary(forged) != nil {
			continue
		}
		taken++
		q := vec(0, 0, 0, 0)
		ids, distances, err := y.Search(q, 10)
		if err != nil || len(ids.Data) > y.Len() || len(ids.Data) != len(distances.Data) {
			t.Fatalf("a search finds %d of %d: %v", len(ids.Data), y.Len(), err)
		}
		if id, err := y.Add(q); err == nil {
			if err := y.Remove(id); err != nil {
				t.Fatal(err)
			}
		}
		for _, id := range ids.Data {
			if err := y.Remove(id); err != nil {
				t.Fatalf("vector %d was found, and %v", id, err)
			}
		}
	}
	if taken < 100 {
		t.Errorf("%d forged states are taken, want some to play", taken)
	}
}

// TestOnlyDuplicates: many equal vectors are all found, each once, and the first of them first; also after some are removed.
func TestOnlyDuplicates(t *testing.T) {
	x := &Index{Ef: 400}
	const n = 300
	for range n {
		if _, err := x.Add(vec(1, -2, 3)); err != nil {
			t.Fatal(err)
		}
	}
	for id := uint64(1); id <= n; id += 2 {
		if err := x.Remove(id); err != nil {
			t.Fatal(err)
		}
	}
	ids, distances, err := x.Search(vec(1, -2, 3), n)
	if err != nil || len(ids.Data) != n/2 {
		t.Fatalf("%d of %d are found: %v", len(ids.Data), n/2, err)
	}
	for i, id := range ids.Data {
		if id != uint64(2*i+2) || distances.Data[i] != 0 {
			t.Fatalf("hit %d is %d at %v, want %d at 0", i, id, distances.Data[i], 2*i+2)
		}
	}
}

// TestExtremeVectors: what is no number is refused without effect, and the largest numbers, whose squares are none in float32, are
// ordered.
func TestExtremeVectors(t *testing.T) {
	x := &Index{}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, v := range [][]float32{{nan, 0}, {0, inf}, {-inf, 0}, {}} {
		if _, err := x.Add(vec(v...)); err == nil || x.Len() != 0 {
			t.Errorf("%v is added: %v", v, err)
		}
	}
	for _, v := range [][]float32{{3e38, 0}, {1e38, 0}, {-3e38, 0}, {1e-45, 0}} {
		if _, err := x.Add(vec(v...)); err != nil {
			t.Fatal(err)
		}
	}
	ids, _, err := x.Search(vec(3e38, 0), 4)
	want := []uint64{1, 2, 4, 3}
	for i, id := range ids.Data {
		if err != nil || id != want[i] {
			t.Fatalf("the order is %v (%v), want %v", ids.Data, err, want)
		}
	}
	if _, _, err := x.Search(vec(nan, 0), 1); err == nil {
		t.Error("a query of NaN is answered")
	}
	if _, err := x.Add(vec(1, 2, 3)); err == nil {
		t.Error("a vector of another length is added")
	}
}
