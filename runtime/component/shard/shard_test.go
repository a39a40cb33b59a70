package shard

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// files are n examples, each of which is its own number, of 5 classes.
func files(t *testing.T, n int) fstest.MapFS {
	x, y := tensor.New(tensor.Uint8, n, 1, 1), tensor.New(tensor.Uint8, n)
	for i := range n {
		tensor.Data[uint8](x)[i], tensor.Data[uint8](y)[i] = uint8(i), uint8(i%5)
	}
	images, err := dataset.AppendIDX(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	labels, err := dataset.AppendIDX(nil, y)
	if err != nil {
		t.Fatal(err)
	}
	return fstest.MapFS{"train-images-idx3-ubyte": {Data: images}, "train-labels-idx1-ubyte": {Data: labels}}
}

func open(t *testing.T, s Source, rank int) *Source {
	t.Helper()
	if err := s.Open(runtime.Env{Data: files(t, 200), Seed: 3, Class: "client", Rank: rank}); err != nil {
		t.Fatal(err)
	}
	return &s
}

// Each example belongs to one peer.
func TestShares(t *testing.T) {
	for _, alpha := range []float64{0, 0.3, 10} {
		seen := map[int]int{}
		most := 0
		for rank := range 4 {
			s := open(t, Source{Peers: 4, Alpha: alpha}, rank)
			kinds := map[int]int{}
			for _, i := range s.share {
				seen[i]++
				kinds[i%5]++
			}
			for _, n := range kinds {
				most = max(most, n)
			}
			if n, _ := s.Samples(); int(n) != len(s.share) {
				t.Errorf("%v samples, want %d", n, len(s.share))
			}
			if alpha == 0 && len(s.share) != 50 {
				t.Errorf("peer %d has %d examples, want 50", rank, len(s.share))
			}
		}
		for i := range 200 {
			if seen[i] != 1 {
				t.Fatalf("alpha %v: example %d has %d peers", alpha, i, seen[i])
			}
		}
		if few := alpha == 0.3; few != (most > 25) {
			t.Errorf("alpha %v: a peer has %d of the 40 examples of a class", alpha, most)
		}
	}
}

// A restored source continues with the same batches.
func TestState(t *testing.T) {
	a := open(t, Source{Batch: 16}, 0)
	next := func(s *Source) []int64 {
		t.Helper()
		_, y, err := s.NextBatch()
		if err != nil {
			t.Fatal(err)
		}
		return slices.Clone(y.Data)
	}
	for range 17 { // into the second epoch
		next(a)
	}
	b, err := a.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := open(t, Source{Batch: 16}, 0)
	if err := c.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if x, y := next(a), next(c); !slices.Equal(x, y) {
			t.Fatalf("%v and %v", x, y)
		}
	}
	for _, bad := range [][]byte{nil, b[:7], append(slices.Clone(b), 0), slices.Repeat([]byte{0xff}, 16)} {
		if err := c.UnmarshalBinary(bad); err == nil {
			t.Errorf("%v is accepted as state", bad)
		}
	}
}

func TestRefuses(t *testing.T) {
	for name, s := range map[string]Source{
		"batch too large": {Batch: 300}, "rank too large": {Peers: 2}, "no validation": {Val: true}, "shape": {Shape: []int{3}}, "path": {Path: "nowhere"},
	} {
		if err := s.Open(runtime.Env{Data: files(t, 200), Rank: 2}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := new(Source).Open(runtime.Env{}); err == nil {
		t.Error("no data, and no error")
	}
}
