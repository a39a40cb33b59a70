// Package program is one federation for all experiments of example bench-federated. Its configuration selects
// the task, the strategy, the rule and the hostile clients.
package program

import (
	"time"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/examples/bench-federated/program/client"
	"github.com/bbgen/bbgen/examples/bench-federated/program/server"
	"github.com/bbgen/bbgen/examples/bench-federated/program/task"
	"github.com/bbgen/bbgen/runtime/component/fedavg"
)

//go:generate go tool bbgen . -o ../peer

// Rounds is the number of rounds in each experiment.
const Rounds = 30

var vec = dsl.Float32(dsl.Any)

// Server computes the model of each round from the clients' changes.
type Server struct {
	Server          dsl.Component
	Rule            dsl.Aggregator // of the changes
	Controls, Steps dsl.Aggregator
}

// Body is one round, which waits for all clients that are connected when it begins.
func (s Server) Body(g *dsl.Graph) {
	r := g.Rounds(Rounds, dsl.IfShort(dsl.Repeat))
	first := s.Server.CallN(g, "First", []dsl.Type{vec, vec})
	model, control := r.Carry("model", first[0]), r.Carry("control", first[1])
	clients := g.Peers("client")
	g.NetOut("model", clients, model)
	g.NetOut("control", clients, control)
	g.NetOut("round", clients, r.Number())

	all := []dsl.CallOption{dsl.Quorum(dsl.All), dsl.Within(10 * time.Minute)}
	sent := func(name string, t dsl.Type) dsl.Value { return g.Input(name, t, dsl.From(clients)) }
	weight := sent("weight", dsl.Float32())
	change := s.Rule.Aggregate(g, s.Rule.Contribute(g, sent("change", vec), weight), all...)
	steps := s.Steps.Aggregate(g, s.Steps.Contribute(g, sent("steps", vec), weight), all...)
	moved := s.Controls.Aggregate(g, s.Controls.Contribute(g, sent("moved", vec), dsl.Value{}), all...)

	next := s.Server.Call(g, "Step", vec, model, change, steps)
	r.Next(model, next)
	r.Next(control, g.Add(control, moved))
	judged := s.Server.CallN(g, "Judge", []dsl.Type{dsl.Float32(), dsl.Float32()}, next)
	g.Output("loss", judged[0])
	g.Output("accuracy", judged[1])
}

// Client trains the model that it receives.
type Client struct{ Client dsl.Component }

// Body is one round of a client.
func (c Client) Body(g *dsl.Graph) {
	model, control, round := g.Input("model", vec), g.Input("control", vec), g.Input("round", dsl.Int64())
	trained := c.Client.CallN(g, "Train", []dsl.Type{vec, vec, dsl.Float32(), vec}, model, control, round)
	for i, name := range []string{"change", "moved", "weight", "steps"} {
		g.NetOut(name, g.Sender(model), trained[i])
	}
}

// Program returns the server and the client.
func Program() dsl.Program {
	mean := dsl.Aggregator{Bind: dsl.Go(fedavg.Average{})}
	quadratic := task.Config{Name: "quadratic", Clients: 2, Skew: 10}
	return dsl.Program{Name: "bench", Modules: []dsl.Module{
		Server{
			Server:   dsl.Component{Bind: dsl.Go(server.Server{Task: quadratic})},
			Rule:     dsl.Aggregator{Bind: dsl.Go(server.Rule{Name: "mean"})},
			Controls: mean, Steps: mean,
		},
		Client{Client: dsl.Component{Bind: dsl.Go(client.Client{Task: quadratic})}},
	}}
}
