// Package program is a program of workers that sum values by each algorithm, and report how long that
// took.
package program

import (
	"math"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/internal/bench/collective/load"
)

// Worker sums values with the other workers.
type Worker struct{ Load dsl.Component }

// Body is a round: one sum by each algorithm, each after a barrier. A sum is checked when all workers have it, as that takes the
// processors that they share. When a worker is lost the others continue without it.
func (w Worker) Body(g *dsl.Graph) {
	r := g.Rounds(math.MaxInt32)
	all, lost := g.Peers("worker"), dsl.IfLost(dsl.Repeat)
	checked := g.Const(true)
	for i, name := range load.Algorithms {
		ready := g.Barrier(all, []dsl.Value{checked}, lost, dsl.Port("before_"+name))
		x := w.Load.Call(g, "Make", dsl.Float32(dsl.Any), r.Number(), g.Const(int64(i)), ready)
		options := []dsl.CollectiveOption{lost, dsl.Port(name)}
		if name != "auto" {
			options = append(options, dsl.By(dsl.Algorithm(name)))
		}
		began := g.Clock(x)
		sum := g.AllReduce(x, all, dsl.Sum, options...)
		g.AppEmit(name, g.Sub(g.Clock(sum), began))
		summed := g.Barrier(all, []dsl.Value{sum}, lost, dsl.Port("after_"+name))
		checked = w.Load.Call(g, "Check", dsl.Bool(), sum, summed)
	}
	r.Until(w.Load.Call(g, "Over", dsl.Bool(), r.Number(), checked))
}

// Program returns the workers.
func Program() dsl.Program {
	return dsl.Program{Name: "collective", Modules: []dsl.Module{Worker{dsl.Component{Bind: dsl.Go(load.Load{})}}}}
}
