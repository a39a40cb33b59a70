// Package choosing is a federation of clients of two kinds. Its server chooses those of a round by their loss and their
// speed, trains a model for each kind, and sends a third model as differences from the version that a client has. Of
// that each client keeps some elements to itself, and a whole model near it.
package choosing

import (
	"time"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/generated_test/program/choosing/parts"
	"github.com/bbgen/bbgen/runtime/component/clustered"
	"github.com/bbgen/bbgen/runtime/component/codec"
	"github.com/bbgen/bbgen/runtime/component/delta"
	"github.com/bbgen/bbgen/runtime/component/drift"
	"github.com/bbgen/bbgen/runtime/component/fedavg"
	"github.com/bbgen/bbgen/runtime/component/personal"
	"github.com/bbgen/bbgen/runtime/component/selection"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The parameters of the program.
const (
	Rounds  = 24
	Clients = 8
	Chosen  = 5 // clients of a round
	Quorum  = 3
	Within  = 2 * time.Second
)

var (
	vec    = dsl.Float32(dsl.Any)
	update = dsl.GoType(clustered.Update{}, 256)
)

// Server has the common models.
type Server struct {
	Some                    dsl.PeerSelector
	Kinds, Shared, Sketched dsl.Aggregator
	Losses, Having          dsl.Aggregator
	Versions                dsl.Component
}

// Body is a round.
func (s Server) Body(g *dsl.Graph) {
	r := g.Rounds(Rounds, dsl.IfShort(dsl.Repeat))
	models := r.Carry("models", g.Const([]float32{0.1, 0.1, -0.1, -0.1}, 2, 2))
	shared := r.Carry("shared", g.Const(make([]float32, parts.Shared)))
	number := r.Number()
	chosen := s.Some.CurrentView(g, dsl.When(g.OnTrigger(number)))
	version := s.Versions.Call(g, "Put", dsl.Int64(), shared)
	g.NetOut("models", chosen, models)
	g.NetOut("version", chosen, version)

	mean := func(a dsl.Aggregator, x dsl.Value, out ...dsl.CallOption) dsl.Value {
		return a.Aggregate(g, a.Contribute(g, x, dsl.Value{}), append(out, dsl.Quorum(Quorum), dsl.Within(Within))...)
	}
	heard := func(name string, t dsl.Type) dsl.Value { return g.Input(name, t, dsl.From(chosen)) }
	have := heard("have", dsl.Int64())
	g.NetOut("news", g.Sender(have), s.Versions.Call(g, "Since", dsl.Uint8(dsl.Any), have))
	g.Output("having", mean(s.Having, g.Reshape(g.Cast(have, tensor.Float32), 1)))
	loss := heard("loss", dsl.Float32())
	g.Output("mean_loss", mean(s.Losses, g.Reshape(s.Some.Call(g, "Report", dsl.Float32(), g.Sender(loss), loss), 1)))

	next := g.Add(models, mean(s.Kinds, heard("change", update), dsl.Float32(2, 2)))
	r.Next(models, next)
	g.Output("kinds", next)
	common := mean(s.Shared, heard("shared", vec))
	r.Next(shared, common)
	g.Output("common_model", common)
	g.Output("sketch", mean(s.Sketched, heard("sketched", vec)))
	g.Output("round", number)
}

// Client has data of one kind.
type Client struct {
	Task, Choice, Copy, Layers, Prox dsl.Component
	Sketch                           dsl.CodecSlot
}

// Body is a client's part of a round.
func (c Client) Body(g *dsl.Graph) {
	models := g.Input("models", dsl.Float32(2, 2))
	server := g.Sender(models)
	losses := c.Task.Call(g, "Losses", vec, models)
	kind := c.Choice.Call(g, "Best", dsl.Int64(), losses)
	change := c.Task.Call(g, "Change", vec, c.Choice.Call(g, "Pick", vec, models, kind))
	g.NetOut("change", server, c.Choice.Call(g, "Update", update, change, kind))
	g.NetOut("loss", server, g.ReduceMin(losses))
	g.NetOut("sketched", server, change, dsl.Through(c.Sketch))

	version := g.Input("version", dsl.Int64())
	g.NetOut("have", g.Sender(version), c.Copy.Call(g, "Version", dsl.Int64(), version))
	shared := c.Copy.Call(g, "Apply", vec, g.Input("news", dsl.Uint8(dsl.Any)))
	own := c.Layers.Call(g, "Merge", vec, c.Task.Call(g, "Own", vec, shared), shared)
	trained := c.Task.Call(g, "Train", vec, own)
	g.NetOut("shared", server, c.Layers.Call(g, "Shared", vec, trained))
	g.AppEmit("own", trained)

	ditto := c.Task.CallN(g, "Ditto", []dsl.Type{vec, vec}, shared)
	g.AppEmit("ditto", c.Task.Call(g, "Keep", vec, ditto[0], c.Prox.Call(g, "Correct", vec, ditto[1], ditto[0], shared)))
}

// Program returns both.
func Program() dsl.Program {
	mean := dsl.Aggregator{Bind: dsl.Go(fedavg.Average{})}
	return dsl.Program{Name: "choosing", Modules: []dsl.Module{
		Server{
			Some: dsl.PeerSelector{Of: "client", Bind: dsl.Go(selection.Selector{
				Class: "client", Count: Chosen, Explore: 0.4, Loss: 1, Speed: 0.5, Availability: 1,
			})},
			Kinds:  dsl.Aggregator{Bind: dsl.Go(clustered.Average{Clusters: 2, Size: 2})},
			Shared: mean, Sketched: mean, Losses: mean, Having: mean,
			Versions: dsl.Component{Bind: dsl.Go(delta.Versions{Keep: 2})},
		},
		Client{
			Task: dsl.Component{Bind: dsl.Go(parts.Task{})}, Choice: dsl.Component{Bind: dsl.Go(clustered.Choice{})},
			Copy:   dsl.Component{Bind: dsl.Go(delta.Copy{})},
			Layers: dsl.Component{Bind: dsl.Go(personal.Layers{Local: []personal.Range{{From: parts.Shared, To: parts.Shared + 1}}})},
			Prox:   dsl.Component{Bind: dsl.Go(drift.Prox{Mu: parts.Mu})}, Sketch: dsl.CodecSlot{Bind: dsl.Go(codec.Sketch{Fraction: 1})},
		},
	}}
}
