package simulate

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/bbgen/bbgen/internal/simulate/parts"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/nearest"
	"github.com/bbgen/bbgen/runtime/host/mem"
	"github.com/bbgen/bbgen/runtime/wire"
)

// drawn returns the ranks of the workers that the leader draws.
func (ref *reference) drawn(act *action) (ranks []int) {
	s := ref.draws[act.port]
	if s == nil {
		s = opened([]*parts.Sampled{parts.NewSampled()}, ref.seed, "leader", 0)[0]
		ref.draws[act.port] = s
	}
	view, err := s.CurrentView(ref.leader())
	if err != nil {
		panic(err)
	}
	for _, p := range view {
		ranks = append(ranks, slices.IndexFunc(ref.everyone(), func(w int) bool { return ref.workerID(w) == p }))
	}
	return ranks
}

// workerID returns the id of a worker. The peers of the other classes come before: their names do.
func (ref *reference) workerID(rank int) wire.PeerID {
	others := 1 // the leader
	if _, visits, far := ref.uses(); visits && far {
		others = 3
	} else if visits {
		others = 2
	}
	return mem.PeerID(others + rank)
}

// leader returns a node that knows the workers.
func (ref *reference) leader() *runtime.Node {
	c := runtime.Config{Self: mem.PeerID(1 << 10), Incarnation: 1}
	for w := range ref.workers {
		c.Peers = append(c.Peers, runtime.PeerConfig{ID: ref.workerID(w), Class: "worker", Rank: w})
	}
	n, err := runtime.New(c, &runtime.Partition{Class: "leader"})
	if err != nil {
		panic(err)
	}
	return n
}

// nearest returns the rank of the worker whose id has the smallest exclusive or with a key.
func (ref *reference) nearest(key []byte) int {
	far := func(rank int) []byte {
		id := ref.workerID(rank).Key()
		for i, b := range key {
			id[i] ^= b
		}
		return id[:]
	}
	return slices.MinFunc(ref.everyone(), func(a, b int) int {
		return bytes.Compare(far(a), far(b))
	})
}

// vector is a vector in an index of a worker.
type vector struct {
	nearest.Hit
	data []float32
}

// search adds the workers' results for x to their indexes, and compares x with all vectors of all workers.
func (ref *reference) search(x []float64, act *action) []float64 {
	all, query := ref.stored[act.port], narrowed(x).Data
	number := uint64(len(all)/ref.workers + 1)
	for w, y := range ref.answers(x, act, ref.everyone()) {
		all = append(all, vector{nearest.Hit{Shard: int32(w), ID: number}, narrowed(y).Data})
	}
	ref.stored[act.port] = all
	var list []nearest.Hit
	for _, v := range all {
		v.Distance = parts.Distance(v.data, query)
		list = append(list, v.Hit)
	}
	slices.SortFunc(list, func(a, b nearest.Hit) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Shard, b.Shard), cmp.Compare(a.ID, b.ID))
	})
	sum, err := (&parts.Tally{}).Of(nearest.Hits{List: list[:min(parts.Nearest, len(list))]})
	if err != nil {
		panic(err)
	}
	return sum.Data
}
