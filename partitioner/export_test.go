package partitioner

import (
	"math/rand/v2"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Scatter gives each node a random class, and sends values that another class reads, in both directions.
func Scatter(m *ir.Module, classes int, rng *rand.Rand) {
	s := newSplitter(m, SplitOptions{Stages: classes}.withDefaults())
	for i, n := range s.nodes {
		k := rng.IntN(classes)
		for _, v := range s.reads[i] {
			if !sendable(v) {
				k = s.stageOf(v)
			}
		}
		s.stage = append(s.stage, k)
		n.Class = s.opt.name(k)
	}
	s.send()
}

// WithHash gives every edge the id that hash gives its text.
func (o Options) WithHash(hash func(string) wire.EdgeID) Options {
	o.hash = hash
	return o
}
