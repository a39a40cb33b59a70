// Package program is a service: a front sends the inputs from its host to a worker, and returns the worker's
// answers.
package program

import "github.com/bbgen/bbgen/dsl"

//go:generate go tool bbgen . -o ../peer

// Front is called by the Go program that embeds it.
type Front struct{}

// Body sends numbers to a worker, and returns their mean.
func (Front) Body(g *dsl.Graph) {
	numbers := g.Input("numbers", dsl.Float32(dsl.Any))
	g.NetOut("ask", g.Peers("worker"), numbers)
	g.Output("mean", g.Input("answer", dsl.Float32()))
}

// Worker computes means.
type Worker struct{}

// Body is one request to a worker.
func (Worker) Body(g *dsl.Graph) {
	numbers := g.Input("ask", dsl.Float32(dsl.Any))
	g.NetOut("answer", g.Sender(numbers), g.ReduceMean(numbers))
}

// Program returns the front and the worker.
func Program() dsl.Program {
	return dsl.Program{Name: "service", Modules: []dsl.Module{Front{}, Worker{}}}
}
