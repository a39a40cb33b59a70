// Package program is federated averaging with three servers, any one of which may fail.
package program

import (
	"time"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/dsl/replicated"
	"github.com/bbgen/bbgen/runtime/component/fedavg"
	"github.com/bbgen/bbgen/runtime/component/raft"
	"github.com/bbgen/bbgen/runtime/component/shard"
	"github.com/bbgen/bbgen/runtime/tensor"
)

//go:generate go tool bbgen . -o ../peer

// The parameters of the program.
const (
	Servers    = 3
	Clients    = 4
	Quorum     = 3 // of clients
	Rounds     = 15
	Steps      = 8 // of training, for each client in a round
	Batch      = 32
	Tests      = 500 // examples with which the servers evaluate the model
	Parameters = 500 // of the model
	Period     = 100 * time.Millisecond
)

// Server is one of three that replicate the rounds' outcomes.
type Server struct {
	Model   dsl.Model
	Average dsl.Aggregator
	Tests   dsl.DataSource
	Log     replicated.Log
}

// Body is one round on the leading server, and the handling of its outcome on each server.
func (s Server) Body(g *dsl.Graph) {
	number, params := s.Log.Rounds(g, Rounds, s.Model.Params(g))
	clients := g.Peers("client", dsl.AtLeast(Quorum))
	g.NetOut("params", clients, g.Gate(params, clients))
	update := g.Input("update", dsl.Float32(Parameters), dsl.From(clients))
	s.Log.Decide(g, number, s.Average.Aggregate(g, s.Average.Contribute(g, update, dsl.Value{}), dsl.Quorum(Quorum)))

	round, model := s.Log.Decided(g)
	g.Output("round", round)
	g.Output("leader", s.Log.Leader(g, round))
	g.Output("model", model)
	s.Model.LoadParameters(g, model)
	x, labels := s.Tests.NextBatch(g, dsl.Float32("n", 1, 28, 28), dsl.Int64("n"))
	digits := g.ArgMax(s.Model.Forward(g, x, dsl.Float32("n", 10)), 1)
	g.Output("accuracy", g.ReduceMean(g.Cast(g.Equal(digits, labels), tensor.Float32)))
}

// Client trains for the server that asks.
type Client struct {
	Model dsl.Model
	Data  dsl.DataSource
}

// Body is one round of a client.
func (c Client) Body(g *dsl.Graph) {
	params := g.Input("params", dsl.Float32(dsl.Any))
	c.Model.LoadParameters(g, params)
	g.AppEmit("loss", c.Model.TrainSteps(g, c.Data, Steps))
	g.NetOut("update", g.Sender(params), c.Model.Params(g))
}

// Program returns the server and the client.
func Program() dsl.Program {
	model := dsl.Model{Bind: dsl.ONNX("../../private/program/reader.onnx", dsl.Train{
		Loss:      dsl.Loss{Name: "cross_entropy"},
		Optimizer: dsl.Optimizer{Name: "sgd", Rate: 0.3},
	})}
	images := []int{1, 28, 28}
	messages := dsl.GoType(raft.Batch{}, raft.Size(Parameters))
	return dsl.Program{Name: "raftserver", Modules: []dsl.Module{
		Server{
			Model:   model,
			Average: dsl.Aggregator{Bind: dsl.Go(fedavg.Average{})},
			Tests:   dsl.DataSource{Bind: dsl.Go(shard.Source{Shape: images, Classes: 10, Batch: Tests, Val: true})},
			Log:     replicated.New(dsl.Go(raft.Log{Servers: Servers}), messages, Period),
		},
		Client{
			Model: model,
			Data:  dsl.DataSource{Bind: dsl.Go(shard.Source{Shape: images, Classes: 10, Batch: Batch, Peers: Clients})},
		},
	}}
}
