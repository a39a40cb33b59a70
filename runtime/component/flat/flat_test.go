package flat

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

func vec(x ...float32) tensor.Dense[float32] { return tensor.DenseOf(x, len(x)) }

func TestSearch(t *testing.T) {
	var x Index
	for _, v := range [][]float32{{0, 0}, {3, 4}, {1, 0}, {0, 1}} {
		if _, err := x.Add(vec(v...)); err != nil {
			t.Fatal(err)
		}
	}
	search := func(k int) ([]uint64, []float32) {
		t.Helper()
		ids, d, err := x.Search(vec(0, 0), k)
		if err != nil {
			t.Fatal(err)
		}
		return ids.Data, d.Data
	}
	if ids, d := search(9); !slices.Equal(ids, []uint64{1, 3, 4, 2}) || !slices.Equal(d, []float32{0, 1, 1, 5}) {
		t.Errorf("found %v at %v, want 1, 3, 4, 2 at 0, 1, 1, 5", ids, d)
	}
	if err := x.Remove(3); err != nil {
		t.Fatal(err)
	}
	b, err := x.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	var y Index
	if err := y.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	x = y
	if ids, _ := search(2); !slices.Equal(ids, []uint64{1, 4}) {
		t.Errorf("found %v after a restart, want 1, 4", ids)
	}
	if id, err := x.Add(vec(7, 7)); id != 5 || err != nil {
		t.Errorf("the next vector has number %d (%v), want 5", id, err)
	}
	for n := range b {
		if err := new(Index).UnmarshalBinary(b[:n]); err == nil {
			t.Errorf("the first %d bytes of the state are accepted", n)
		}
	}
}

func TestRefuses(t *testing.T) {
	x := Index{Limit: 2}
	x.Add(vec(1, 2))
	if _, err := x.Add(vec(1)); err == nil {
		t.Error("a shorter vector is accepted")
	}
	if _, _, err := x.Search(vec(1, 2, 3), 1); err == nil {
		t.Error("a longer query is accepted")
	}
	x.Add(vec(1, 2))
	if _, err := x.Add(vec(1, 2)); err == nil {
		t.Error("a vector more than the limit is accepted")
	}
	if err := x.Remove(7); err == nil {
		t.Error("a vector that is not there is removed")
	}
}

// TestRandom compares searches with a comparison of all vectors.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var x Index
	var all [][]float32
	for range 200 {
		v := []float32{r.Float32(), r.Float32(), r.Float32()}
		all = append(all, v)
		x.Add(vec(v...))
	}
	for range 50 {
		q := []float32{r.Float32(), r.Float32(), r.Float32()}
		best, at := float32(9), 0
		for i, v := range all {
			d := (v[0]-q[0])*(v[0]-q[0]) + (v[1]-q[1])*(v[1]-q[1]) + (v[2]-q[2])*(v[2]-q[2])
			if d < best {
				best, at = d, i
			}
		}
		if ids, _, err := x.Search(vec(q...), 1); err != nil || ids.Data[0] != uint64(at+1) {
			t.Errorf("found %v (%v), want %d", ids.Data, err, at+1)
		}
	}
}

// TestEmptyState checks that an empty index is restored.
func TestEmptyState(t *testing.T) {
	var x Index
	b, err := x.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.UnmarshalBinary(b); err != nil {
		t.Errorf("an empty index does not read its state: %v", err)
	}
}
