package train

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// all returns a list of n times true.
func all(n int) []bool { return slices.Repeat([]bool{true}, n) }

// TestOwners divides weights: whole ones first, then the others, so that all have as much; replicas are on the members
// that follow.
func TestOwners(t *testing.T) {
	for _, c := range []struct {
		sizes     []int
		divisible []bool
		members   []int
		replicas  int
		want      string
	}{
		{[]int{1, 8, 3, 4}, all(4), []int{0, 1}, 0, "[{0 0 1 [0]} {1 0 7 [0]} {1 7 8 [1]} {2 0 3 [1]} {3 0 4 [1]}]"},
		{[]int{5, 5, 5}, all(3), []int{4, 2, 7}, 0, "[{0 0 5 [4]} {1 0 5 [2]} {2 0 5 [7]}]"},
		{[]int{9}, all(1), []int{4, 2, 7}, 1, "[{0 0 3 [4 2]} {0 3 6 [2 7]} {0 6 9 [7 4]}]"},
		{[]int{9, 1}, all(2), []int{3}, 2, "[{0 0 9 [3]} {1 0 1 [3]}]"},
		{[]int{1, 8, 3, 4}, make([]bool, 4), []int{0, 1}, 0, "[{0 0 1 [1]} {1 0 8 [0]} {2 0 3 [1]} {3 0 4 [1]}]"},
		{[]int{6, 4, 5}, []bool{false, true, true}, []int{0, 1, 2}, 0, "[{0 0 6 [0]} {1 0 4 [1]} {2 0 1 [1]} {2 1 5 [2]}]"},
		{[]int{0, 2}, all(2), []int{0, 1, 2}, 9, "[{0 0 0 [0 1 2]} {1 0 1 [0 1 2]} {1 1 2 [1 2 0]}]"},
		{nil, nil, []int{0}, 0, "[]"},
	} {
		if got := fmt.Sprint(ownersOf(c.sizes, c.divisible, c.members, c.replicas)); got != c.want {
			t.Errorf("%d of %v to %v: %s, want %s", c.replicas, c.sizes, c.members, got, c.want)
		}
	}
}

// TestOwnersEqual divides random weights: all elements have owners, and the loads differ by at most one as long as no
// whole weight is larger.
func TestOwnersEqual(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		sizes, members := make([]int, 1+r.IntN(20)), make([]int, 1+r.IntN(9))
		divisible, sum, largest := make([]bool, len(sizes)), 0, 0
		for i := range sizes {
			sizes[i], divisible[i] = r.IntN(1<<r.IntN(20)), r.IntN(4) > 0
			if sum += sizes[i]; !divisible[i] {
				largest += sizes[i]
			}
		}
		for i := range members {
			members[i] = 10 - i
		}
		load, next := map[int]int{}, make([]int, len(sizes))
		for _, p := range ownersOf(sizes, divisible, members, 0) {
			if p.from != next[p.weight] || p.to < p.from || !divisible[p.weight] && p.to-p.from != sizes[p.weight] {
				t.Fatalf("%v of %v: %v does not follow %d", divisible, sizes, p, next[p.weight])
			}
			next[p.weight] = p.to
			load[p.owners[0]] += p.to - p.from
		}
		if !slices.Equal(next, sizes) {
			t.Fatalf("of %v, %v have owners", sizes, next)
		}
		for _, rank := range members {
			if least, most := sum/len(members), (sum+len(members)-1)/len(members); largest <= least && (load[rank] < least || load[rank] > most) {
				t.Errorf("%v %v on %d ranks: rank %d has %d, want %d or %d", sizes, divisible, len(members), rank, load[rank], least, most)
			}
		}
	}
}

// TestShardBytes compares what a rank sends to distribute the weights of models with one that is much larger than the
// others with the least that the ring sends.
func TestShardBytes(t *testing.T) {
	spec := collective.Spec{Kind: collective.AllGather, Elem: tensor.Float32}
	for _, sizes := range [][]int{{1 << 20, 3, 5}, {77, 1 << 22}, {30000}, {1 << 18, 1 << 18, 1<<20 + 1}} {
		for _, ranks := range []int{2, 3, 4, 7, 8} {
			var members []int
			for i := range ranks {
				members = append(members, i)
			}
			streams, sum := map[int]stream{}, 0
			for _, p := range ownersOf(sizes, all(len(sizes)), members, 0) {
				streams[p.owners[0]] = append(streams[p.owners[0]], &parcel{n: p.to - p.from})
				sum += p.to - p.from
			}
			var sent int64
			for _, row := range rows(streams) {
				sent += spec.Traffic(4*row, ranks, collective.Links{}).Busiest
			}
			if least := 4 * float64(sum) * float64(ranks-1) / float64(ranks); float64(sent) > 1.005*least {
				t.Errorf("%v on %d ranks: a rank sends %d bytes, %.4f of the least", sizes, ranks, sent, float64(sent)/least)
			}
		}
	}
}
