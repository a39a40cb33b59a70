package shard

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/dataset"
)

// TestProportionsOfHugeAlpha: the sum of what is drawn may be infinite.
func TestProportionsOfHugeAlpha(t *testing.T) {
	d := &division{peers: 3, rand: rand.New(rand.NewPCG(1, 2))}
	list, n := make([]int, 30), 0
	for _, p := range d.proportions(math.MaxFloat64) {
		n += len(p.of(list))
	}
	if n != len(list) {
		t.Errorf("%d examples, want %d", n, len(list))
	}
}

// TestManyShards: the number of all shards does not fit an int.
func TestManyShards(t *testing.T) {
	for _, peers := range []int{2, 4} { // the product would be negative, or 0
		shards := math.MaxInt/2 + 1
		d := &division{Source: &Source{Shards: shards}, peers: peers, order: make([]int, 30), rand: rand.New(rand.NewPCG(1, 2))}
		if _, err := d.byShards(); err == nil {
			t.Errorf("%d peers have %d shards of 30 examples", peers, shards)
		}
	}
}

// sized is a set of so many examples.
type sized struct {
	dataset.DataSource
	n int
}

func (s sized) Len() int { return s.n }

// TestManyExamples: the number of examples times that of peers does not fit an int of 32 bits.
func TestManyExamples(t *testing.T) {
	const n, peers = 1 << 21, 2048
	s := &Source{set: sized{n: n}}
	for _, rank := range []int{0, peers/2 - 1, peers - 1} {
		if share, err := s.divide(runtime.Env{}, peers, rank); err != nil || len(share) != n/peers {
			t.Errorf("rank %d has %d examples, want %d (%v)", rank, len(share), n/peers, err)
		}
	}
}

// TestNegative: numbers below 0 are refused before anything is divided or allocated.
func TestNegative(t *testing.T) {
	for _, s := range []Source{{Batch: -1}, {Batch: math.MinInt}, {Peers: -1}, {Shards: -1}, {Alpha: -1}, {Alpha: math.NaN()}, {Quantity: math.Inf(1)}, {Noise: -0.5}, {Noise: math.NaN()}} {
		if err := s.Open(runtime.Env{Data: files(t, 20)}); err == nil {
			t.Errorf("%+v is opened", s)
		}
	}
}

// TestEveryExampleOnce: whatever the division and the number of peers are, each example belongs to exactly one of them, and all peers
// agree on that; or none of them begins.
func TestEveryExampleOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	divided := 0
	for range 120 {
		n, peers := 20+r.IntN(100), 1+r.IntN(8)
		s := Source{Peers: peers, Batch: r.IntN(3)}
		switch r.IntN(4) {
		case 0:
			s.Alpha = math.Exp(r.NormFloat64() * 4)
		case 1:
			s.Shards = 1 + r.IntN(6)
		case 2:
			s.Quantity = math.Exp(r.NormFloat64() * 4)
		}
		data, seed := files(t, n), r.Uint64()
		owners, failed := make([]int, n), 0
		for rank := range peers {
			one := s
			if err := one.Open(runtime.Env{Data: data, Seed: seed, Class: "client", Rank: rank}); err != nil {
				failed++
				continue
			}
			for _, i := range one.share {
				owners[i]++
			}
			if weight, err := one.Samples(); err != nil || int(weight) != len(one.share) {
				t.Errorf("%d examples count as %v (%v)", len(one.share), weight, err)
			}
		}
		if failed > 0 {
			if failed < peers && s.Batch > 0 && s.Alpha+s.Quantity > 0 {
				t.Errorf("%+v: %d of %d peers fail", s, failed, peers)
			}
			continue
		}
		divided++
		for i, k := range owners {
			if k != 1 {
				t.Fatalf("%+v: example %d of %d belongs to %d peers", s, i, n, k)
			}
		}
	}
	if divided < 60 {
		t.Errorf("%d of 120 sets were divided", divided)
	}
}
