package shard

import (
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/dataset"
)

// division divides the examples of a set. All peers with the same seed get the same division.
type division struct {
	*Source
	set   dataset.DataSource
	files fs.FS
	order []int // the examples, in random order
	rand  *rand.Rand
	peers int
}

// way is a method of division.
type way struct {
	field  string
	given  bool
	shares func(*division) ([][]int, error) // of all peers
}

// ways returns the methods that the configuration requests.
func (s *Source) ways() []way {
	return []way{
		{"Alpha", s.Alpha != 0, (*division).byLabel},
		{"Shards", s.Shards != 0, (*division).byShards},
		{"Quantity", s.Quantity != 0, (*division).byQuantity},
		{"Writers", s.Writers != "", (*division).byWriter},
	}
}

// checkWays checks the configuration.
func (s *Source) checkWays() error {
	for _, x := range []struct {
		field string
		value float64
	}{{"Alpha", s.Alpha}, {"Shards", float64(s.Shards)}, {"Quantity", s.Quantity}, {"Noise", s.Noise}, {"Batch", float64(s.Batch)}, {"Peers", float64(s.Peers)}} {
		if !(x.value >= 0) || math.IsInf(x.value, 0) {
			return fmt.Errorf("shard.Source: %s is %v, want a number above 0, or 0 for none", x.field, x.value)
		}
	}
	var given []string
	for _, w := range s.ways() {
		if w.given {
			given = append(given, w.field)
		}
	}
	if len(given) > 1 {
		return fmt.Errorf("shard.Source: %s are set, want one way to share the examples out", strings.Join(given, " and "))
	}
	return nil
}

// draws is the maximum number of drawn divisions until each peer has a batch.
const draws = 200

// divide returns the share of a peer.
func (s *Source) divide(env runtime.Env, peers, rank int) ([]int, error) {
	d := &division{Source: s, set: s.set, files: env.Data, peers: peers, order: dataset.Order(env.Seed, 0, s.set.Len())}
	for _, w := range s.ways() {
		if !w.given || peers == 1 {
			continue
		}
		d.rand = rand.New(rand.NewPCG(env.Seed, math.Float64bits(s.Alpha+s.Quantity)))
		for range draws {
			shares, err := w.shares(d)
			if err != nil {
				return nil, fmt.Errorf("shard.Source: %s: %w", w.field, err)
			}
			if smallest(shares) >= max(s.Batch, 1) {
				return shares[rank], nil
			}
		}
		return nil, fmt.Errorf("shard.Source: %s: in none of %d divisions of %d examples has each of %d peers a batch of %d: want fewer peers, a smaller batch, or shares that differ less",
			w.field, draws, s.set.Len(), peers, max(s.Batch, 1))
	}
	n := len(d.order)
	return d.order[begin(n, rank, peers):begin(n, rank+1, peers)], nil
}

// begin returns where part i begins of n examples in so many equal parts.
func begin(n, i, parts int) int { return int(int64(n) * int64(i) / int64(parts)) }

// smallest returns the number of examples in the smallest share.
func smallest(shares [][]int) int {
	least := math.MaxInt
	for _, s := range shares {
		least = min(least, len(s))
	}
	return least
}
