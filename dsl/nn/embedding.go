package nn

import "github.com/bbgen/bbgen/dsl"

// Embedding is a table with a vector of Size numbers for each of Count words. Its input contains the numbers
// of words.
type Embedding struct {
	Count, Size int

	Weight *Parameter // [Count, Size]
}

func (e *Embedding) build() {
	if e.Weight == nil {
		e.Weight = &Parameter{Shape: []int{e.Count, e.Size}, Init: Normal(0, 1)}
	}
}

// Forward returns the vectors, along a new last axis.
func (e *Embedding) Forward(g *dsl.Graph, x dsl.Value) dsl.Value {
	return g.Gather(e.Weight.Value(g), x, 0)
}
