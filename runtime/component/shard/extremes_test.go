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
