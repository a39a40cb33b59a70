// Package program is federated learning: a server asks clients to train a network on their own digits, and
// averages the results.
package program

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/runtime/component/fedavg"
	"github.com/bbgen/bbgen/runtime/component/shard"
	"github.com/bbgen/bbgen/runtime/tensor"
)

//go:generate go tool bbgen . -o ../peer

// The parameters of the program.
const (
	Rounds  = 30
	Clients = 8
	Steps   = 12 // of training, for each client in a round
	Batch   = 32
	Tests   = 1000 // examples with which the server evaluates the model
)

// Server begins each round with the model of the
// one before, and evaluates it on its own digits.
type Server struct {
	Model   dsl.Model
	Tests   dsl.DataSource
	Average dsl.Aggregator
}

// Body is one round of the server.
func (s Server) Body(g *dsl.Graph) {
	r := g.Rounds(Rounds)
	params := r.Carry("params", s.Model.Params(g))
	clients := g.Peers("client")
	g.NetOut("params", clients, params)

	update := g.Input("update", dsl.Float32(dsl.Any), dsl.From(clients))
	samples := g.Input("samples", dsl.Float32(), dsl.From(clients))
	contributed := s.Average.Contribute(g, update, samples)
	mean := s.Average.Aggregate(g, contributed, dsl.Quorum(Clients/2))
	r.Next(params, mean)

	s.Model.LoadParameters(g, mean)
	x, labels := s.Tests.NextBatch(g, dsl.Float32("n", 1, 28, 28), dsl.Int64("n"))
	digits := g.ArgMax(s.Model.Forward(g, x, dsl.Float32("n", 10)), 1)
	right := g.Cast(g.Equal(digits, labels), tensor.Float32)
	g.Output("accuracy", g.ReduceMean(right))
	g.Output("model", mean)
}

// Client trains the model that it receives, and
// returns the result with the number of its examples.
type Client struct {
	Model dsl.Model
	Data  dsl.DataSource
}

// Body is one round of a client.
func (c Client) Body(g *dsl.Graph) {
	c.Model.LoadParameters(g, g.Input("params", dsl.Float32(dsl.Any)))
	g.AppEmit("loss", c.Model.TrainSteps(g, c.Data, Steps))
	server := g.Peers("server")
	g.NetOut("update", server, c.Model.Params(g))
	g.NetOut("samples", server, c.Data.Samples(g))
}

// Program returns the server and the client.
func Program() dsl.Program {
	model := dsl.Model{Bind: dsl.ONNX("../../train/lenet.onnx", dsl.Train{
		Loss:      dsl.Loss{Name: "cross_entropy"},
		Optimizer: dsl.Optimizer{Name: "sgd", Rate: 0.05, Momentum: 0.9},
	})}
	images := []int{1, 28, 28}
	return dsl.Program{Name: "fedavg", Modules: []dsl.Module{
		Server{
			Model:   model,
			Tests:   dsl.DataSource{Bind: dsl.Go(shard.Source{Shape: images, Classes: 10, Batch: Tests, Val: true})},
			Average: dsl.Aggregator{Bind: dsl.Go(fedavg.Average{})},
		},
		Client{
			Model: model,
			Data:  dsl.DataSource{Bind: dsl.Go(shard.Source{Shape: images, Classes: 10, Batch: Batch, Peers: Clients})},
		},
	}}
}
