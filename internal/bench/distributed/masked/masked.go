// Package masked is federated averaging like package program, whose server sees only masked sums: secure aggregation.
package masked

import (
	"math"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/dsl/secure"
	"github.com/bbgen/bbgen/internal/bench/distributed/program/plan"
	"github.com/bbgen/bbgen/runtime/component/dp"
)

// quorum is how many clients are enough for a sum: two of ten may be lost.
const quorum = 8

// Server sends a model to all clients and adds the mean of their changes, in each round.
type Server struct {
	Plan    dsl.Component
	Secure  secure.Server
	Decoder dsl.Component
}

// Body is the server's module.
func (s Server) Body(g *dsl.Graph) {
	r := g.Rounds(math.MaxInt32)
	params := r.Carry("params", s.Plan.Call(g, "Params", dsl.Float32(dsl.Any)))
	clients := g.Peers("client")
	g.NetOut("params", clients, params)
	sum, count := s.Secure.Sum(g, "change", clients, r.Number(), quorum)
	r.Next(params, g.Add(params, s.Decoder.Call(g, "Mean", dsl.Float32(dsl.Any), sum, count)))
	r.Until(s.Plan.Call(g, "Over", dsl.Bool(), r.Number()))
}

// Client adds a little to each parameter.
type Client struct {
	Secure  secure.Client
	Encoder dsl.Component
}

// Body is the client's module.
func (c Client) Body(g *dsl.Graph) {
	params := g.Input("params", dsl.Float32(dsl.Any))
	change := g.Sub(g.Add(params, g.Const(float32(1e-4))), params)
	c.Secure.Give(g, "change", c.Encoder.Call(g, "Encode", dsl.Int32(dsl.Any), change))
}

// Program returns both.
func Program() dsl.Program {
	integers := dsl.Component{Bind: dsl.Go(dp.Packed{Clip: 1, Peers: 10})}
	return dsl.Program{Name: "masked", Modules: []dsl.Module{
		Server{Plan: dsl.Component{Bind: dsl.Go(plan.Plan{})}, Secure: secure.NewServer(), Decoder: integers},
		Client{Secure: secure.NewClient(quorum), Encoder: integers},
	}}
}
