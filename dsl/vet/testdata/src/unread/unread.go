// Package unread drops results.
package unread

import "github.com/bbgen/bbgen/dsl"

type Worker struct{ Average dsl.Aggregator }

func (w Worker) Body(g *dsl.Graph) {
	x := g.Input("x", dsl.Float32())
	g.Add(x, x)                 // want `nobody reads the result of Add, which does nothing else`
	g.Split(x, 0)               // want `nobody reads the result of Split`
	g.DeadlineMatch(x, x)       // want `nobody reads the result of DeadlineMatch`
	g.Input("y", dsl.Float32()) // want `nobody reads the result of Input`
	_ = g.Add(x, x)             // the author knows
	g.AppEmit("x", x)
	g.NetOut("x", g.Peers("worker"), x)
	w.Average.Contribute(g, x, dsl.Value{}) // a component may do anything
}
