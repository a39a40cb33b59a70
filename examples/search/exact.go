package main

import (
	"slices"

	"github.com/bbgen/bbgen/examples/search/program"
	"github.com/bbgen/bbgen/examples/search/program/corpus"
	"github.com/bbgen/bbgen/runtime/component/flat"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// exact is an index of all vectors of all shards, with exhaustive search.
type exact struct{ flat.Index }

func newExact() (*exact, error) {
	var x exact
	for s := range program.Shards {
		for _, v := range corpus.Vectors(seed, s, program.Each) {
			if _, err := x.Add(tensor.DenseOf(v, corpus.Dim)); err != nil {
				return nil, err
			}
		}
	}
	return &x, nil
}

// number returns the number of a vector of a shard.
func number(shard, id int) uint64 { return uint64(shard*program.Each + id) }

// recall returns the fraction of the nearest vectors that were found, without those of missing shards.
func (x *exact) recall(query int, f found, missing []int) float64 {
	q := corpus.Query(seed, query, program.Shards)
	all, _, err := x.Search(tensor.DenseOf(q, corpus.Dim), program.Shards*program.Each)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	ids := slices.DeleteFunc(all.Data, func(id uint64) bool {
		return slices.Contains(missing, int(id-1)/program.Each)
	})[:program.K]
	hits := 0
	for i, shard := range f.shards {
		if slices.Contains(ids, number(shard, f.ids[i])) {
			hits++
		}
	}
	return float64(hits) / float64(len(ids))
}
