// Package dataparallel is the program of trainers that share each batch: they sum what
// their hosts give them. What bbgen makes of it stands in runtime/host/dataparallel.
package dataparallel

import "github.com/bbgen/bbgen/dsl"

// Trainer is one of them.
type Trainer struct{}

// Body is a sum. Those who are left when one is lost go on without it.
func (Trainer) Body(g *dsl.Graph) {
	value := g.Input("value", dsl.Float32(dsl.Any))
	g.Output("sum", g.AllReduce(value, g.Peers("trainer"), dsl.Sum, dsl.IfLost(dsl.Repeat), dsl.Port("sum")))
}

// Program is trainers alone.
func Program() dsl.Program {
	return dsl.Program{Name: "dataparallel", Modules: []dsl.Module{Trainer{}}}
}
