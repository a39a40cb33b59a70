// Package federation is federated averaging with each reaction to rounds without a quorum: a server for each,
// with its own clients.
package federation

import (
	"time"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/generated_test/program/federation/parts"
	"github.com/bbgen/bbgen/runtime/component/fedavg"
)

// The parameters of the program.
const (
	Rounds = 4
	Quorum = 2
	Within = 10 * time.Second
)

// server averages the answers of its clients.
type server struct{ Average dsl.Aggregator }

func (s server) rounds(g *dsl.Graph, clients string, then dsl.RoundsOption) {
	r := g.Rounds(Rounds, then)
	model := r.Carry("model", g.Const([]float32{1, 2, 3, 4}))
	all := g.Peers(clients)
	g.NetOut("model", all, model)
	update := g.Input("update", dsl.Float32(dsl.Any), dsl.From(all))
	mean := s.Average.Aggregate(g, s.Average.Contribute(g, update, dsl.Value{}), dsl.Quorum(Quorum), dsl.Within(Within))
	r.Next(model, mean)
	g.Output("round", r.Number())
	g.Output("mean", mean)
}

// Skipper continues with the next round.
type Skipper server

// Body is what it does.
func (s Skipper) Body(g *dsl.Graph) { server(s).rounds(g, "skipped", dsl.IfShort(dsl.Skip)) }

// Repeater asks again.
type Repeater server

// Body is what it does.
func (s Repeater) Body(g *dsl.Graph) { server(s).rounds(g, "repeated", dsl.IfShort(dsl.Repeat)) }

// Waiter waits, for some days at most.
type Waiter server

// Body is what it does.
func (s Waiter) Body(g *dsl.Graph) { server(s).rounds(g, "awaited", dsl.WaitAtMost(100*time.Hour)) }

// client trains.
type client struct{ Trainer dsl.Component }

func (c client) answer(g *dsl.Graph) {
	model := g.Input("model", dsl.Float32(dsl.Any))
	g.NetOut("update", g.Sender(model), c.Trainer.Call(g, "Train", dsl.Float32(dsl.Any), model))
}

// Skipped is a client of a Skipper.
type Skipped client

// Body is what it does.
func (c Skipped) Body(g *dsl.Graph) { client(c).answer(g) }

// Repeated is a client of a Repeater.
type Repeated client

// Body is what it does.
func (c Repeated) Body(g *dsl.Graph) { client(c).answer(g) }

// Awaited is a client of a Waiter.
type Awaited client

// Body is what it does.
func (c Awaited) Body(g *dsl.Graph) { client(c).answer(g) }

// Program returns all of them.
func Program() dsl.Program {
	average := dsl.Aggregator{Bind: dsl.Go(fedavg.Average{})}
	trainer := dsl.Component{Bind: dsl.Go(parts.Trainer{})}
	return dsl.Program{Name: "federation", Modules: []dsl.Module{
		Skipper{average}, Repeater{average}, Waiter{average}, Skipped{trainer}, Repeated{trainer}, Awaited{trainer},
	}}
}
