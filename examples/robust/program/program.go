// Package program is federated learning with a client that may be hostile: it sends the opposite of its
// change.
package program

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/examples/robust/program/rule"
	"github.com/bbgen/bbgen/examples/robust/program/sender"
	"github.com/bbgen/bbgen/runtime/component/shard"
	"github.com/bbgen/bbgen/runtime/tensor"
)

//go:generate go tool bbgen . -o ../peer

// The parameters of the program.
const (
	Rounds  = 15
	Clients = 8
	Hostile = 1
	Steps   = 12 // of training, for each client in a round
	Batch   = 32
	Tests   = 500 // examples with which the server evaluates the model
)

// Server computes the model of each round from the clients' models, with a rule.
type Server struct {
	Model dsl.Model
	Tests dsl.DataSource
	Rule  dsl.Aggregator
}

// Body is one round of the server.
func (s Server) Body(g *dsl.Graph) {
	r := g.Rounds(Rounds)
	params := r.Carry("params", s.Model.Params(g))
	clients := g.Peers("client", dsl.AtLeast(Clients))
	g.NetOut("params", clients, params)

	update := g.Input("update", dsl.Float32(dsl.Any), dsl.From(clients))
	next := s.Rule.Aggregate(g, s.Rule.Contribute(g, update, dsl.Value{}), dsl.Quorum(Clients-Hostile))
	r.Next(params, next)

	s.Model.LoadParameters(g, next)
	x, labels := s.Tests.NextBatch(g, dsl.Float32("n", 1, 28, 28), dsl.Int64("n"))
	digits := g.ArgMax(s.Model.Forward(g, x, dsl.Float32("n", 10)), 1)
	right := g.Cast(g.Equal(digits, labels), tensor.Float32)
	g.Output("accuracy", g.ReduceMean(right))
}

// Client trains the model that it receives.
type Client struct {
	Model  dsl.Model
	Data   dsl.DataSource
	Sender dsl.Component
}

// Body is one round of a client.
func (c Client) Body(g *dsl.Graph) {
	params := g.Input("params", dsl.Float32(dsl.Any))
	c.Model.LoadParameters(g, params)
	g.AppEmit("loss", c.Model.TrainSteps(g, c.Data, Steps))
	sent := c.Sender.Call(g, "Sent", dsl.Float32(dsl.Any), params, c.Model.Params(g))
	g.NetOut("update", g.Sender(params), sent)
}

// Program returns the server and the client.
func Program() dsl.Program {
	model := dsl.Model{Bind: dsl.ONNX("../../train/lenet.onnx", dsl.Train{
		Loss:      dsl.Loss{Name: "cross_entropy"},
		Optimizer: dsl.Optimizer{Name: "sgd", Rate: 0.05, Momentum: 0.9},
	})}
	images := []int{1, 28, 28}
	return dsl.Program{Name: "robust", Modules: []dsl.Module{
		Server{
			Model: model,
			Tests: dsl.DataSource{Bind: dsl.Go(shard.Source{Shape: images, Classes: 10, Batch: Tests, Val: true})},
			Rule:  dsl.Aggregator{Bind: dsl.Go(rule.Aggregator{Name: "median", Faulty: Hostile})},
		},
		Client{
			Model:  model,
			Data:   dsl.DataSource{Bind: dsl.Go(shard.Source{Shape: images, Classes: 10, Batch: Batch, Peers: Clients})},
			Sender: dsl.Component{Bind: dsl.Go(sender.Sender{})},
		},
	}}
}
