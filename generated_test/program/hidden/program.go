// Package hidden is a federation that hides the clients' changes: with noise of the server, noise of the
// clients, masks, and random selection.
package hidden

import (
	"time"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/dsl/secure"
	"github.com/bbgen/bbgen/generated_test/program/strategies/parts"
	"github.com/bbgen/bbgen/runtime/component/codec"
	"github.com/bbgen/bbgen/runtime/component/dp"
	"github.com/bbgen/bbgen/runtime/component/fedavg"
)

// The parameters of the program.
const (
	Rounds  = 4
	Clients = 9
	Quorum  = 7
	Within  = 10 * time.Second
)

// Server asks all clients in each round.
type Server struct {
	Central, Plain dsl.Aggregator
	Secure         secure.Server
	Decoder        dsl.Component
}

// Body is a round. The model grows by the mean that masks hide.
func (s Server) Body(g *dsl.Graph) {
	r := g.Rounds(Rounds, dsl.IfShort(dsl.Repeat))
	model := r.Carry("model", g.Const([]float32{0, 0, 0, 0, 0, 0, 0, 0}))
	clients := g.Peers("client", dsl.AtLeast(Clients))
	g.NetOut("model", clients, model)
	g.Output("round", r.Number())

	sum, count := s.Secure.Sum(g, "masked", clients, r.Number(), Quorum)
	mean := s.Decoder.Call(g, "Mean", dsl.Float32(8), sum, count)
	g.Output("secure", mean)
	r.Next(model, g.Add(model, mean))

	aggregate := func(name string, a dsl.Aggregator) {
		x := g.Input(name, dsl.Float32(dsl.Any), dsl.From(clients))
		g.Output(name+"_mean", a.Aggregate(g, a.Contribute(g, x, dsl.Value{}), dsl.Quorum(Quorum), dsl.Within(Within)))
	}
	aggregate("central", s.Central)
	aggregate("local", s.Plain)
}

// Chooser asks some clients in each round, and keeps secret which.
type Chooser struct {
	Some    dsl.PeerSelector
	Sampled dsl.Aggregator
}

// Body is a round.
func (c Chooser) Body(g *dsl.Graph) {
	r := g.Rounds(Rounds, dsl.IfShort(dsl.Skip))
	chosen := c.Some.CurrentView(g, dsl.When(g.OnTrigger(r.Number())))
	g.NetOut("asked", chosen, r.Number())
	x := g.Input("answer", dsl.Float32(8), dsl.From(chosen))
	g.Output("sampled", c.Sampled.Aggregate(g, c.Sampled.Contribute(g, x, dsl.Value{}), dsl.Quorum(1), dsl.Within(Within)))
}

// Client is one of theirs.
type Client struct {
	Learner, Local, Encoder dsl.Component
	Half                    dsl.CodecSlot
	Secure                  secure.Client
}

// Body is its part of a round.
func (c Client) Body(g *dsl.Graph) {
	model := g.Input("model", dsl.Float32(dsl.Any))
	server := g.Sender(model)
	change := c.Learner.Call(g, "Change", dsl.Float32(dsl.Any), model)
	g.NetOut("central", server, c.Learner.Call(g, "Sent", dsl.Float32(dsl.Any), change))
	g.NetOut("local", server, change, dsl.Clip(20), dsl.Via(c.Local, "Add"), dsl.Through(c.Half))
	c.Secure.Give(g, "masked", c.Encoder.Call(g, "Encode", dsl.Int32(dsl.Any), change))

	asked := g.Input("asked", dsl.Int64())
	ones := g.Const([]float32{1, 1, 1, 1, 1, 1, 1, 1})
	g.NetOut("answer", g.Sender(asked), g.Add(ones, g.Scalar(ones, 0)))
}

// Program returns all of them.
func Program() dsl.Program {
	integers := dsl.Component{Bind: dsl.Go(dp.Packed{Clip: 10, Peers: Clients})}
	return dsl.Program{Name: "hidden", Modules: []dsl.Module{
		Server{
			Central: dsl.Aggregator{Bind: dsl.Go(dp.Average{Clip: 2, Noise: 0.01, Quantile: 0.5})},
			Plain:   dsl.Aggregator{Bind: dsl.Go(fedavg.Average{})},
			Secure:  secure.NewServer(),
			Decoder: integers,
		},
		Chooser{
			Some:    dsl.PeerSelector{Of: "client", Bind: dsl.Go(dp.Sampler{Class: "client", Rate: 0.5})},
			Sampled: dsl.Aggregator{Bind: dsl.Go(dp.Average{Clip: 3, Noise: 0.01, Sampling: 0.5, Peers: 4})},
		},
		Client{
			Learner: dsl.Component{Bind: dsl.Go(parts.Learner{})},
			Local:   dsl.Component{Bind: dsl.Go(dp.Local{Clip: 20, Noise: 0.001})},
			Encoder: integers,
			Half:    dsl.CodecSlot{Bind: dsl.Go(codec.BFloat16{})},
			Secure:  secure.NewClient(Quorum),
		},
	}}
}
