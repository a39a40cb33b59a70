// Package program contains workers that sum vectors of several sizes with each algorithm, and report the
// times.
package program

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/examples/allreduce/load"
)

//go:generate go tool bbgen . -o ../peer

// Worker is a peer that takes part in the sums.
type Worker struct{ Load dsl.Component }

// Body is one round: a sum with each algorithm, one after the other.
func (w Worker) Body(g *dsl.Graph) {
	round := g.Rounds(load.Rounds()).Number()
	all := g.Peers("worker", dsl.AtLeast(load.Peers))
	ready := g.Barrier(all, nil)
	for i, name := range load.Algorithms {
		x := w.Load.Call(g, "Make", dsl.Float32(dsl.Any), round, g.Const(int64(i)), ready)
		began := g.Clock(x)
		sum := g.AllReduce(x, all, dsl.Sum, dsl.By(dsl.Algorithm(name)), dsl.Port(name))
		took := g.Sub(g.Clock(sum), began)
		w.Load.Call(g, "Check", dsl.Bool(), sum)
		g.AppEmit(name, took)
	}
}

// Program returns the workers.
func Program() dsl.Program {
	return dsl.Program{Name: "allreduce", Modules: []dsl.Module{Worker{dsl.Component{Bind: dsl.Go(load.Load{})}}}}
}
