// Package program is the measured program: federated averaging with clients that do not train, so that the
// time of a round is only the system's.
package program

import (
	"math"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/internal/bench/distributed/program/plan"
	"github.com/bbgen/bbgen/runtime/component/fedavg"
)

// Server sends a model to all clients and averages the results, in each round. It does not wait for clients
// that are gone.
type Server struct {
	Plan    dsl.Component
	Average dsl.Aggregator
}

// Body is the server's module.
func (s Server) Body(g *dsl.Graph) {
	r := g.Rounds(math.MaxInt32)
	params := r.Carry("params", s.Plan.Call(g, "Params", dsl.Float32(dsl.Any)))
	clients := g.Peers("client")
	g.NetOut("params", clients, params)
	update := g.Input("update", dsl.Float32(dsl.Any), dsl.From(clients))
	contributed := s.Average.Contribute(g, update, g.Const(float32(1)))
	r.Next(params, s.Average.Aggregate(g, contributed, dsl.Quorum(1)))
	r.Until(s.Plan.Call(g, "Over", dsl.Bool(), r.Number()))
}

// Client adds a little to each parameter.
type Client struct{}

// Body is the client's module.
func (Client) Body(g *dsl.Graph) {
	params := g.Input("params", dsl.Float32(dsl.Any))
	g.NetOut("update", g.Peers("server"), g.Add(params, g.Const(float32(1e-4))))
}

// Program returns both.
func Program() dsl.Program {
	return dsl.Program{Name: "rounds", Modules: []dsl.Module{
		Server{Plan: dsl.Component{Bind: dsl.Go(plan.Plan{})}, Average: dsl.Aggregator{Bind: dsl.Go(fedavg.Average{})}},
		Client{},
	}}
}
