package shard

import (
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bbgen/bbgen/runtime"
)

// withWriters returns the files of 200 examples, with a number of writers that have written equally many,
// consecutively.
func withWriters(t *testing.T, writers int) fstest.MapFS {
	f := files(t, 200)
	var names strings.Builder
	for i := range 200 {
		fmt.Fprintf(&names, "writer-%d\n", i*writers/200)
	}
	f["writers"] = &fstest.MapFile{Data: []byte(names.String())}
	return f
}

// opened returns the sources of all peers.
func opened(t *testing.T, data fs.FS, s Source, seed uint64) []*Source {
	t.Helper()
	var all []*Source
	for rank := range s.Peers {
		one := s
		if err := one.Open(runtime.Env{Data: data, Seed: seed, Class: "client", Rank: rank}); err != nil {
			t.Fatal(err)
		}
		all = append(all, &one)
	}
	return all
}

// most returns the largest number of kinds that the examples of a peer have.
func most(all []*Source, kind func(example int) int) int {
	n := 0
	for _, s := range all {
		kinds := map[int]bool{}
		for _, i := range s.share {
			kinds[kind(i)] = true
		}
		n = max(n, len(kinds))
	}
	return n
}

func label(i int) int { return i % 5 }

// Each method gives each example to one peer, the same shares for the same seed and others for another, with
// the intended skew.
func TestDivisions(t *testing.T) {
	data := withWriters(t, 20)
	for _, c := range []struct {
		name string
		s    Source
		skew func(all []*Source) error
	}{
		{"alike", Source{}, func(all []*Source) error {
			if n := most(all, label); n != 5 {
				return fmt.Errorf("a peer has %d classes, want all 5", n)
			}
			return nil
		}},
		{"labels", Source{Alpha: 0.1, Batch: 2}, func(all []*Source) error {
			for _, s := range all {
				if len(s.share) < 2 {
					return fmt.Errorf("a peer has %d examples, want a batch", len(s.share))
				}
			}
			return nil
		}},
		{"shards", Source{Shards: 2}, func(all []*Source) error {
			if n := most(all, label); n > 3 { // a shard that begins at the end of a class
				return fmt.Errorf("a peer has %d classes of two shards", n)
			}
			for _, s := range all {
				if n := len(s.share); n < 24 || n > 26 {
					return fmt.Errorf("a peer has %d examples, want two shards of 12 or 13", n)
				}
			}
			return nil
		}},
		{"quantity", Source{Quantity: 0.5, Batch: 3}, func(all []*Source) error {
			small, large := math.MaxInt, 0
			for _, s := range all {
				small, large = min(small, len(s.share)), max(large, len(s.share))
			}
			if small < 3 || large < 4*small {
				return fmt.Errorf("shares of %d to %d examples, want 3 at least and large ones", small, large)
			}
			return nil
		}},
		{"writers", Source{Writers: "writers"}, func(all []*Source) error {
			if n := most(all, func(i int) int { return i / 10 }); n != 3 {
				return fmt.Errorf("20 writers for 8 peers are %d for one, want 3", n)
			}
			return nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.s.Peers = 8
			all, again, other := opened(t, data, c.s, 1), opened(t, data, c.s, 1), opened(t, data, c.s, 2)
			seen := map[int]int{}
			same := true
			for rank, s := range all {
				for _, i := range s.share {
					seen[i]++
				}
				if !slices.Equal(s.share, again[rank].share) {
					t.Error("the same seed gives other shares")
				}
				same = same && slices.Equal(s.share, other[rank].share)
			}
			for i := range 200 {
				if seen[i] != 1 {
					t.Fatalf("example %d has %d peers", i, seen[i])
				}
			}
			if same {
				t.Error("another seed gives the same shares")
			}
			if err := c.skew(all); err != nil {
				t.Error(err)
			}
		})
	}
}

// No writer has examples on two peers.
func TestWriters(t *testing.T) {
	owner := map[int]int{}
	for rank, s := range opened(t, withWriters(t, 20), Source{Peers: 8, Writers: "writers"}, 1) {
		for _, i := range s.share {
			if of, known := owner[i/10]; known && of != rank {
				t.Fatalf("writer %d has examples on peers %d and %d", i/10, of, rank)
			}
			owner[i/10] = rank
		}
	}
}

// The noise of peers grows with their ranks, and an example has the same noise in each epoch.
func TestNoise(t *testing.T) {
	plain := opened(t, files(t, 200), Source{Peers: 4}, 1)
	for rank, s := range opened(t, files(t, 200), Source{Peers: 4, Noise: 9}, 1) {
		x, _, err := s.NextBatch()
		if err != nil {
			t.Fatal(err)
		}
		first := map[int]float32{}
		sum := 0.0
		for k, i := range s.order {
			first[i] = x.Data[k]
		}
		y, _, err := plain[rank].NextBatch()
		if err != nil {
			t.Fatal(err)
		}
		for k := range y.Data {
			d := float64(x.Data[k] - y.Data[k])
			sum += d * d / float64(len(y.Data))
		}
		if want := 9 * float64(rank+1) / 4; !(math.Abs(sum-want) <= want/2) {
			t.Errorf("peer %d has noise of variance %v, want %v", rank, sum, want)
		}
		if x, _, err = s.NextBatch(); err != nil {
			t.Fatal(err)
		}
		for k, i := range s.order {
			if x.Data[k] != first[i] {
				t.Fatalf("example %d is %v in the second epoch, and was %v", i, x.Data[k], first[i])
			}
		}
	}
}

// Impossible divisions are errors with a reason.
func TestDivisionsRefused(t *testing.T) {
	for want, s := range map[string]Source{
		"Alpha and Shards are set":                                     {Alpha: 1, Shards: 2},
		"Noise is -1":                                                  {Noise: -1},
		"Quantity is NaN":                                              {Quantity: math.NaN()},
		"60 shards for each of 4 peers":                                {Shards: 60},
		"each of 4 peers a batch of 60":                                {Quantity: 1, Batch: 60},
		"names 3 writers, want one for each of 4 peers":                {Writers: "writers"},
		"short names the writers of 2 examples, want 200":              {Writers: "short"},
		"open nobody: file does not exist":                             {Writers: "nobody"},
		"in none of 200 divisions of 200 examples has each of 4 peers": {Alpha: 0.01, Batch: 45},
	} {
		data := withWriters(t, 3)
		data["short"] = &fstest.MapFile{Data: []byte("a\nb\n")}
		s.Peers = 4
		if err := s.Open(runtime.Env{Data: data, Seed: 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
