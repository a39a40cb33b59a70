// Package unread drops results.
package unread

import "github.com/bbgen/bbgen/dsl"

type Worker struct{ Average dsl.Aggregator }

func (w Worker) Body(g *dsl.Graph) {
	x := g.Input("x", dsl.Float32())
	g.Add(x, x)                 // want `the result of Add is not used, and the call does nothing else`
	g.Split(x, 0)               // want `the result of Split is not used`
	g.DeadlineMatch(x, x)       // want `the result of DeadlineMatch is not used`
	g.Input("y", dsl.Float32()) // want `the result of Input is not used`
	_ = g.Add(x, x)             // the author knows
	g.AppEmit("x", x)
	g.NetOut("x", g.Peers("worker"), x)
	w.Average.Contribute(g, x, dsl.Value{}) // a component may do anything
}
