// Package dataparallel is the program of trainers that share each batch: they sum what
// their hosts give them. What bbgen makes of it stands in runtime/host/dataparallel.
package dataparallel

import (
	"math"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/runtime/component/exchange"
)

// Trainer is one of them.
type Trainer struct{ Exchange dsl.Component }

// Body is a sum. Those who are left when one is lost go on without it.
func (t Trainer) Body(g *dsl.Graph) {
	rounds := g.Rounds(math.MaxInt32)
	taken := t.Exchange.CallN(g, "Take", []dsl.Type{dsl.Float32(dsl.Any), dsl.Bool()}, rounds.Number())
	sum := g.AllReduce(taken[0], g.Peers("trainer"), dsl.Sum, dsl.IfLost(dsl.Repeat), dsl.Port("sum"))
	t.Exchange.CallN(g, "Give", []dsl.Type{dsl.TriggerType}, sum)
	rounds.Until(taken[1])
}

// Program is trainers alone.
func Program() dsl.Program {
	return dsl.Program{Name: "dataparallel", Modules: []dsl.Module{Trainer{dsl.Component{Bind: dsl.Go(exchange.Exchange{})}}}}
}
