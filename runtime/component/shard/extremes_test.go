package shard

import (
	"math"
	"math/rand/v2"
	"testing"
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
