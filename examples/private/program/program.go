// Package program is federated learning in which the server does not see the change of any client, but only a
// sum with noise.
package program

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/dsl/secure"
	"github.com/bbgen/bbgen/runtime/component/dp"
	"github.com/bbgen/bbgen/runtime/component/shard"
	"github.com/bbgen/bbgen/runtime/tensor"
)

//go:generate go tool bbgen . -o ../peer

// The parameters of the program.
const (
	Rounds  = 12
	Clients = 20
	Quorum  = 16 // of clients that reach the next step of a round
	Steps   = 20 // of training, for each client in a round
	Batch   = 32
	Tests   = 500 // examples with which the server evaluates the model
	Clip    = 2   // the largest norm of a client's change
	Noise   = 1   // standard deviation of the noise in the sum, divided by the most that one client can change
)

// Server adds the sum of changes to the model.
type Server struct {
	Model   dsl.Model
	Tests   dsl.DataSource
	Secure  secure.Server
	Decoder dsl.Component
}

// Body is one round of the server.
func (s Server) Body(g *dsl.Graph) {
	r := g.Rounds(Rounds, dsl.IfShort(dsl.Repeat))
	params := r.Carry("params", s.Model.Params(g))
	clients := g.Peers("client", dsl.AtLeast(Clients))
	g.NetOut("params", clients, params)

	sum, count := s.Secure.Sum(g, "change", clients, r.Number(), Quorum)
	change := s.Decoder.Call(g, "Mean", dsl.Float32(dsl.Any), sum, count)
	next := g.Add(params, change)
	r.Next(params, next)

	s.Model.LoadParameters(g, next)
	x, labels := s.Tests.NextBatch(g, dsl.Float32("n", 1, 28, 28), dsl.Int64("n"))
	digits := g.ArgMax(s.Model.Forward(g, x, dsl.Float32("n", 10)), 1)
	g.Output("accuracy", g.ReduceMean(g.Cast(g.Equal(digits, labels), tensor.Float32)))
	g.Output("clients", count)
}

// Client trains the model that it receives, and reveals its change only as part of the sum.
type Client struct {
	Model   dsl.Model
	Data    dsl.DataSource
	Secure  secure.Client
	Encoder dsl.Component
}

// Body is one round of a client.
func (c Client) Body(g *dsl.Graph) {
	params := g.Input("params", dsl.Float32(dsl.Any))
	c.Model.LoadParameters(g, params)
	g.AppEmit("loss", c.Model.TrainSteps(g, c.Data, Steps))
	change := g.Sub(c.Model.Params(g), params)
	c.Secure.Give(g, "change", c.Encoder.Call(g, "Encode", dsl.Int32(dsl.Any), change))
}

// Program returns the server and the client.
func Program() dsl.Program {
	model := dsl.Model{Bind: dsl.ONNX("reader.onnx", dsl.Train{
		Loss:      dsl.Loss{Name: "cross_entropy"},
		Optimizer: dsl.Optimizer{Name: "sgd", Rate: 0.3},
	})}
	images := []int{1, 28, 28}
	noise := dsl.Component{Bind: dsl.Go(dp.Discrete{Clip: Clip, Noise: Noise, Peers: Quorum})}
	return dsl.Program{Name: "private", Modules: []dsl.Module{
		Server{
			Model:   model,
			Tests:   dsl.DataSource{Bind: dsl.Go(shard.Source{Shape: images, Classes: 10, Batch: Tests, Val: true})},
			Secure:  secure.NewServer(),
			Decoder: noise,
		},
		Client{
			Model:   model,
			Data:    dsl.DataSource{Bind: dsl.Go(shard.Source{Shape: images, Classes: 10, Batch: Batch, Peers: Clients})},
			Secure:  secure.NewClient(Quorum),
			Encoder: noise,
		},
	}}
}
