// Package together is a program of one class with collectives: each of them in each round, and some of them
// twice in a row.
package together

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/generated_test/program/together/parts"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Worker is a peer that takes part in the collectives.
type Worker struct {
	Source dsl.Component
	IfLost dsl.Short
}

// Body is one round.
func (w Worker) Body(g *dsl.Graph) {
	round := g.Rounds(4)
	all := g.Peers("worker")
	lost := dsl.IfLost(w.IfLost)

	x := w.Source.Call(g, "Draw", dsl.Float32(parts.Rows, parts.Row), round.Number())
	sum := g.AllReduce(x, all, dsl.Sum, lost, dsl.By(dsl.Ring))
	again := g.AllReduce(g.Mul(sum, x), all, dsl.Mean, lost, dsl.Port("again"))
	g.AppEmit("sum", sum)
	g.AppEmit("again", again)
	g.AppEmit("largest", g.AllReduce(x, all, dsl.Max, lost, dsl.By(dsl.Tree), dsl.Finite()))
	g.AppEmit("rows", g.ReduceScatter(x, all, dsl.Sum, lost))
	g.AppEmit("all", g.AllGather(x, all, lost, dsl.By(dsl.Ring)))
	g.AppEmit("of_one", g.Broadcast(x, all, lost, dsl.Root(1)))
	g.AppEmit("on_one", g.Reduce(x, all, dsl.Sum, lost))
	g.AppEmit("rank", g.AllReduce(g.Cast(round.Number(), tensor.Float32), all, dsl.Sum, lost))
	g.AppNotify("met", g.Barrier(all, []dsl.Value{again}, lost))
}

// Program waits for workers that are down.
func Program() dsl.Program {
	return dsl.Program{Name: "together", Modules: []dsl.Module{Worker{Source: dsl.Component{Bind: dsl.Go(parts.Source{})}, IfLost: dsl.Wait}}}
}
