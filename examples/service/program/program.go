// Package program is a service: a front sends what its host gives it to a worker, and
// gives back what the worker answers.
package program

import "github.com/bbgen/bbgen/dsl"

//go:generate go tool bbgen . -o ../peer

// Front is called by the Go program that it runs in.
type Front struct{}

// Body is what a front does: numbers go to a worker, and come back as their mean.
func (Front) Body(g *dsl.Graph) {
	numbers := g.Input("numbers", dsl.Float32(dsl.Any))
	g.NetOut("ask", g.Peers("worker"), numbers)
	g.Output("mean", g.Input("answer", dsl.Float32()))
}

// Worker computes.
type Worker struct{}

// Body is what a worker does.
func (Worker) Body(g *dsl.Graph) {
	numbers := g.Input("ask", dsl.Float32(dsl.Any))
	g.NetOut("answer", g.Sender(numbers), g.ReduceMean(numbers))
}

// Program returns both.
func Program() dsl.Program {
	return dsl.Program{Name: "service", Modules: []dsl.Module{Front{}, Worker{}}}
}
