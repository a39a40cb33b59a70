// Package wide is a program with a collector that waits for more values than a machine word has bits: a
// hundred values that come on a hundred edges.
package wide

import (
	"fmt"

	"github.com/bbgen/bbgen/dsl"
)

// The parameters of the program.
const (
	Rounds = 3
	Edges  = 100
)

// Source sends the number of its round and a bit more on each edge.
type Source struct{}

// Body is what a source does.
func (Source) Body(g *dsl.Graph) {
	round := g.Rounds(Rounds).Number()
	collector := g.Peers("collector")
	for i := range Edges {
		g.NetOut(fmt.Sprint("x", i), collector, g.Add(round, g.Const([]int64{int64(i)})))
	}
}

// Collector passes each value to its host when it comes, and their sum.
type Collector struct{}

// Body is what a collector does.
func (Collector) Body(g *dsl.Graph) {
	var all []dsl.Value
	for i := range Edges {
		x := g.Input(fmt.Sprint("x", i), dsl.Int64(1))
		g.AppEmit(fmt.Sprint("y", i), x)
		all = append(all, x)
	}
	g.AppEmit("sum", g.ReduceSum(g.Concat(0, all...), 0))
}

// Program returns both.
func Program() dsl.Program {
	return dsl.Program{Name: "wide", Modules: []dsl.Module{Source{}, Collector{}}}
}
