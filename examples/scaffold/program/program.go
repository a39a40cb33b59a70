// Package program contains two federations: with federated averaging and with SCAFFOLD, on the quadratic
// functions of SCAFFOLD's paper.
package program

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/examples/scaffold/program/quadratic"
	"github.com/bbgen/bbgen/runtime/component/drift"
	"github.com/bbgen/bbgen/runtime/component/fedavg"
)

//go:generate go tool bbgen . -o ../peer

// The parameters of the program.
const (
	Rounds  = 50
	Clients = 2
	Steps   = 10 // of gradient descent, for each client in a round
	Rate    = 0.05
	First   = 1 // the initial models
)

var vec = dsl.Float32(1)

// Server has a model of each federation.
type Server struct {
	Average, Changes, Controls dsl.Aggregator
}

// Body is one round of both federations.
func (s Server) Body(g *dsl.Graph) {
	r := g.Rounds(Rounds, dsl.IfShort(dsl.Wait))
	average := r.Carry("average", g.Const([]float32{First}))
	model := r.Carry("model", g.Const([]float32{First}))
	control := r.Carry("control", g.Const([]float32{0}))
	clients := g.Peers("client", dsl.AtLeast(Clients))
	mean := func(a dsl.Aggregator, name string) dsl.Value {
		x := g.Input(name, vec, dsl.From(clients))
		return a.Aggregate(g, a.Contribute(g, x, dsl.Value{}), dsl.Quorum(Clients))
	}

	g.NetOut("average", clients, average)
	next := mean(s.Average, "trained")
	r.Next(average, next)
	g.Output("fedavg", next)

	g.NetOut("model", clients, model)
	g.NetOut("control", clients, control)
	corrected := g.Add(model, mean(s.Changes, "change"))
	r.Next(model, corrected)
	r.Next(control, g.Add(control, mean(s.Controls, "control_change"))) // all clients take part in each round
	g.Output("scaffold", corrected)
}

// Client makes the same number of steps for both federations, with corrections for SCAFFOLD.
type Client struct {
	Task     dsl.Component
	Scaffold dsl.Component
}

// Body is one round of a client.
func (c Client) Body(g *dsl.Graph) {
	average := g.Input("average", vec)
	g.NetOut("trained", g.Sender(average), c.train(g, average, func(gradient dsl.Value) dsl.Value { return gradient }))

	model, control := g.Input("model", vec), g.Input("control", vec)
	trained := c.train(g, model, func(gradient dsl.Value) dsl.Value {
		return c.Scaffold.Call(g, "Correct", vec, gradient, control)
	})
	g.NetOut("change", g.Sender(model), g.Sub(trained, model))
	g.NetOut("control_change", g.Sender(model), c.Scaffold.Call(g, "Renew", vec, model, trained, control, g.Const(Steps)))
}

// train trains a model.
func (c Client) train(g *dsl.Graph, model dsl.Value, correct func(gradient dsl.Value) dsl.Value) dsl.Value {
	for range Steps {
		step := correct(c.Task.Call(g, "Gradient", vec, model))
		model = g.Sub(model, g.Mul(step, g.Scalar(step, Rate)))
	}
	return model
}

// Program returns the server and the client.
func Program() dsl.Program {
	mean := dsl.Aggregator{Bind: dsl.Go(fedavg.Average{})}
	return dsl.Program{Name: "scaffold", Modules: []dsl.Module{
		Server{Average: mean, Changes: mean, Controls: mean},
		Client{
			Task:     dsl.Component{Bind: dsl.Go(quadratic.Task{G: 10})},
			Scaffold: dsl.Component{Bind: dsl.Go(drift.Scaffold{Rate: Rate})},
		},
	}}
}
