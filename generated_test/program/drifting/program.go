// Package drifting is a federation of clients with different data, with each strategy that corrects their
// steps, and one without rounds.
package drifting

import (
	"time"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/generated_test/program/drifting/parts"
	"github.com/bbgen/bbgen/runtime/component/drift"
	"github.com/bbgen/bbgen/runtime/component/fedavg"
	"github.com/bbgen/bbgen/runtime/component/fedbuff"
)

// The parameters of the program.
const (
	Rounds  = 40
	Clients = 8
	Steps   = 4
	Walks   = 40
	Within  = 10 * time.Minute
)

var vec = dsl.Float32(2)

// Server has a model for each strategy.
type Server struct {
	Average, Prox, Change, Control, Dyn, Nova, Counts dsl.Aggregator
	DynServer                                         dsl.Component
}

// Body is a round of all. It waits for all clients.
func (s Server) Body(g *dsl.Graph) {
	r := g.Rounds(Rounds, dsl.IfShort(dsl.Wait))
	carry := func(name string, x float32) dsl.Value { return r.Carry(name, g.Const([]float32{x, x})) }
	average, prox, scaffold, control, dyn, nova := carry("average", 5), carry("prox", 5), carry("scaffold", 5), carry("control", 0), carry("dyn", 5), carry("nova", 5)
	clients := g.Peers("client", dsl.AtLeast(Clients))
	mean := func(a dsl.Aggregator, name string, t dsl.Type) (x, count dsl.Value) {
		return a.AggregateWeighted(g, a.Contribute(g, g.Input(name, t, dsl.From(clients)), dsl.Value{}), dsl.Quorum(Clients), dsl.Within(Within))
	}
	next := func(name string, model, x dsl.Value) {
		g.NetOut(name, clients, model)
		r.Next(model, x)
		g.Output(name, x)
	}
	y, _ := mean(s.Average, "averaged", vec)
	next("average", average, y)
	y, _ = mean(s.Prox, "drawn", vec)
	next("prox", prox, y)

	y, _ = mean(s.Change, "change", vec)
	next("scaffold", scaffold, g.Add(scaffold, y))
	y, count := mean(s.Control, "control_change", vec)
	next("control", control, g.Add(control, g.Mul(y, g.Mul(count, g.Scalar(count, 1.0/Clients)))))

	y, count = mean(s.Dyn, "regularized", vec)
	next("dyn", dyn, s.DynServer.Call(g, "Step", vec, dyn, y, count))

	y, _ = mean(s.Nova, "normalized", vec)
	steps, _ := mean(s.Counts, "steps", dsl.Float32(1))
	next("nova", nova, g.Add(nova, g.Mul(y, steps)))
}

// Client makes the same steps for each strategy, except
// for FedNova, where the numbers of steps differ.
type Client struct {
	Task                      dsl.Component
	Prox, Scaffold, Dyn, Nova dsl.Component
}

// Body is its part of a round.
func (c Client) Body(g *dsl.Graph) {
	c.lane(g, "average", "averaged", func(d, _, _ dsl.Value) dsl.Value { return d })
	c.lane(g, "prox", "drawn", func(d, y, x dsl.Value) dsl.Value { return c.Prox.Call(g, "Correct", vec, d, y, x) })

	control := g.Input("control", vec)
	x, y := c.train(g, "scaffold", func(d, _, _ dsl.Value) dsl.Value { return c.Scaffold.Call(g, "Correct", vec, d, control) })
	g.NetOut("change", g.Sender(x), g.Sub(y, x))
	g.NetOut("control_change", g.Sender(x), c.Scaffold.Call(g, "Renew", vec, x, y, control, g.Const(Steps)))

	x, y = c.train(g, "dyn", func(d, y, x dsl.Value) dsl.Value { return c.Dyn.Call(g, "Correct", vec, d, y, x) })
	g.NetOut("regularized", g.Sender(x), c.Dyn.Call(g, "Renew", vec, x, y))

	x = g.Input("nova", vec)
	own := c.Task.CallN(g, "Trained", []dsl.Type{vec, dsl.Int64()}, x)
	g.NetOut("normalized", g.Sender(x), c.Nova.Call(g, "Normalized", vec, x, own[0], own[1]))
	g.NetOut("steps", g.Sender(x), g.Reshape(c.Nova.Call(g, "Effective", dsl.Float32(), own[1]), 1))
}

// lane trains a model that comes on one edge, and sends it on another.
func (c Client) lane(g *dsl.Graph, from, to string, correct func(d, y, x dsl.Value) dsl.Value) {
	x, y := c.train(g, from, correct)
	g.NetOut(to, g.Sender(x), y)
}

// train makes steps with corrected gradients from a model x that comes on an edge.
func (c Client) train(g *dsl.Graph, from string, correct func(d, y, x dsl.Value) dsl.Value) (x, y dsl.Value) {
	x = g.Input(from, vec)
	y = x
	for range Steps {
		d := correct(c.Task.Call(g, "Gradient", vec, y), y, x)
		y = g.Sub(y, g.Mul(d, g.Scalar(d, parts.Rate)))
	}
	return x, y
}

// Store holds the model of the peers that train without rounds.
type Store struct{ Buffer dsl.Component }

// Body sends the current model to each peer that asks, and receives its changes.
func (s Store) Body(g *dsl.Graph) {
	ask := g.Input("ask", dsl.Int64())
	now := s.Buffer.CallN(g, "Current", []dsl.Type{vec, dsl.Int64()}, g.Gate(g.Const([]float32{5, 5}), ask))
	g.NetOut("now", g.Sender(ask), now[0])
	g.NetOut("version", g.Sender(ask), now[1])
	g.Output("buffered", now[0])
	version := s.Buffer.Call(g, "Add", dsl.Int64(), g.Input("late_change", vec), g.Input("base", dsl.Int64()))
	g.Output("newest", version)
}

// Walker trains without the rounds of a server: it asks for a model as soon as it has finished the one
// before.
type Walker struct{ Task dsl.Component }

// Body is one change of the model.
func (w Walker) Body(g *dsl.Graph) {
	r := g.Rounds(Walks)
	store := g.Peers("store", dsl.AtLeast(1))
	g.NetOut("ask", store, r.Number())
	x, version := g.Input("now", vec), g.Input("version", dsl.Int64())
	y := w.Task.CallN(g, "Trained", []dsl.Type{vec, dsl.Int64()}, x)
	g.NetOut("late_change", store, g.Sub(y[0], x))
	g.NetOut("base", store, version)
}

// Program returns all of them.
func Program() dsl.Program {
	mean := dsl.Aggregator{Bind: dsl.Go(fedavg.Average{})}
	task := dsl.Component{Bind: dsl.Go(parts.Task{})}
	return dsl.Program{Name: "drifting", Modules: []dsl.Module{
		Server{
			Average: mean, Prox: mean, Change: mean, Control: mean, Dyn: mean, Nova: mean, Counts: mean,
			DynServer: dsl.Component{Bind: dsl.Go(drift.DynServer{Alpha: 2, Clients: Clients})},
		},
		Client{
			Task: task, Prox: dsl.Component{Bind: dsl.Go(drift.Prox{Mu: 5})}, Scaffold: dsl.Component{Bind: dsl.Go(drift.Scaffold{Rate: parts.Rate})},
			Dyn: dsl.Component{Bind: dsl.Go(drift.Dyn{Alpha: 2})}, Nova: dsl.Component{Bind: dsl.Go(drift.Nova{})},
		},
		Store{Buffer: dsl.Component{Bind: dsl.Go(fedbuff.Buffer{Size: 4})}},
		Walker{Task: task},
	}}
}
