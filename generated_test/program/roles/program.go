// Package roles is a program that calls every method
// of every role, most of them on its own components.
package roles

import (
	"time"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/generated_test/program/roles/parts"
	"github.com/bbgen/bbgen/runtime/component/codec"
	"github.com/bbgen/bbgen/runtime/component/fedavg"
	"github.com/bbgen/bbgen/runtime/component/peers"
)

// Learner has the components for learning.
type Learner struct {
	Model  dsl.Model
	Data   dsl.DataSource
	Engine dsl.Backend
	Plain  dsl.Backend // without a component
	Codec  dsl.CodecSlot
	Own    dsl.Component
	View   dsl.PeerSelector
}

// Bootstrap reports that the data are loaded.
func (l Learner) Bootstrap(g *dsl.Graph) {
	g.BootstrapOutput("loaded", g.Gate(g.Self(), l.Data.OnDataLoaded(g)))
}

// Body calls all.
func (l Learner) Body(g *dsl.Graph) {
	r := g.Rounds(2)
	g.AppEmit("round", r.Number())
	l.model(g)
	l.engine(g)
	l.book(g, l.others(g))
	l.flow(g, r.Number())
	l.words(g)
}

func (l Learner) model(g *dsl.Graph) {
	vec := dsl.Float32(1)
	set := l.Model.LoadParameters(g, g.Const([]float32{0.5}))
	set = l.Model.ApplyDelta(g, g.Const([]float32{0.5}), dsl.When(set))
	x, target := l.Data.NextBatch(g, vec, vec, dsl.When(set, l.Data.Reset(g)))
	g.AppEmit("loss", l.Model.ComputeLoss(g, x, target))
	y := l.Model.Forward(g, x, vec)
	g.AppEmit("y", y)
	g.AppEmit("dx", l.Model.Backward(g, g.Sub(y, target), vec))
	g.AppEmit("params", l.Model.Params(g, dsl.Float32(2)))
	g.AppEmit("step", l.Model.TrainStep(g, x, target))
	g.AppEmit("steps", l.Model.TrainSteps(g, l.Data, 3))
	params := l.Model.Params(g, dsl.Float32(2))
	teachers := g.Peers("teacher")
	g.NetOut("params", teachers, params)
	g.NetOut("samples", teachers, l.Data.Samples(g))
}

// Curve is x·w + |x| in the operators of the engine,
// with a part that is the same in two graphs.
type Curve struct{ Sign bool }

// Body is the graph.
func (c Curve) Body(g *dsl.Graph) {
	x, w := g.Input("x", dsl.Float32("n")), g.Input("w", dsl.Float32("n"))
	y := g.Mul(x, w)
	if c.Sign {
		y = g.Neg(y)
	}
	g.Output("y", g.Add(y, x))
	g.Output("twice", g.Add(y, y))
}

func (l Learner) engine(g *dsl.Graph) {
	x, w := g.Const([]float32{1, 2, 3}), g.Const([]float32{3, 2, 1})
	one := l.Engine.Run(g, Curve{}, dsl.Args{"x": x, "w": w})
	two := l.Engine.Run(g, Curve{Sign: true}, dsl.Args{"x": one.Output("y"), "w": w})
	again := l.Engine.Run(g, Curve{}, dsl.Args{"x": two.Output("y"), "w": one.Output("twice")})
	g.AppEmit("engine", again.Output("y"))
	a := l.Plain.Run(g, Curve{}, dsl.Args{"x": x, "w": w})
	b := l.Plain.Run(g, Curve{Sign: true}, dsl.Args{"x": a.Output("y"), "w": w})
	g.AppEmit("plain", l.Plain.Run(g, Curve{}, dsl.Args{"x": b.Output("y"), "w": a.Output("twice")}).Output("y"))
}

// others returns an address.
func (l Learner) others(g *dsl.Graph) dsl.Value {
	x := g.Const([]float32{1, 2.5})
	coded := l.Codec.Encode(g, x, dsl.When(l.Codec.Train(g, x)))
	g.AppEmit("decoded", l.Codec.Decode(g, coded, dsl.Float32(2)))
	mixed := l.Own.CallN(g, "Mix", []dsl.Type{dsl.Float32(), dsl.AddressType, dsl.PeersType}, g.Cast(g.ReduceMax(x), 1), g.Self(), g.Peers("learner"))
	g.AppEmit("mixed", mixed[0])
	g.AppEmit("said", mixed[1])
	g.AppEmit("all", mixed[2])
	g.AppEmit("sum", l.Own.Call(g, "Sum", dsl.Int64(), g.Const([]int64{1, 2}), g.Const([]bool{true})))
	g.AppEmit("random", l.View.SelectRandom(g, 1))
	g.AppEmit("near", l.View.SelectNear(g, g.Const([]uint8{1, 2}), 2))
	g.AppEmit("everybody", l.View.SelectAll(g))
	return mixed[1]
}

func (l Learner) book(g *dsl.Graph, address dsl.Value) {
	self := g.Self()
	known := g.Insert(self, address)
	known = g.Insert(g.Gate(self, known), address, address)
	g.AppEmit("address", g.Lookup(g.Gate(self, known)))
}

// flow decides and repeats by numbers.
func (l Learner) flow(g *dsl.Graph, n dsl.Value) {
	g.AppEmit("branch", g.If(g.Less(n, g.Const(1)), func(g *dsl.Graph) []dsl.Value {
		return []dsl.Value{g.Add(n, g.Const(10))}
	}, func(g *dsl.Graph) []dsl.Value {
		return []dsl.Value{g.Neg(n)}
	})[0])
	product := func(times dsl.Value, most int) dsl.Value {
		return g.Loop(times, func(g *dsl.Graph, i dsl.Value, x []dsl.Value) (dsl.Value, []dsl.Value) {
			next := g.Mul(x[0], g.Add(i, g.Const(1)))
			return g.Less(next, g.Const(most)), []dsl.Value{next}
		}, g.Const(1))[0]
	}
	g.AppEmit("product", product(g.Add(n, g.Const(3)), 1000))
	g.AppEmit("until", product(g.Const(100), 20))
}

// words sends strings.
func (l Learner) words(g *dsl.Graph) {
	said := l.Own.CallN(g, "Say", []dsl.Type{dsl.String(dsl.Any), dsl.String()}, g.Const([]string{"one", "two"}))
	teachers := g.Peers("teacher")
	g.NetOut("words", teachers, g.Op("StringConcat", nil, said[0], g.Const("!")))
	g.NetOut("word", teachers, said[1])
}

// Teacher averages the values of learners.
type Teacher struct{ Average dsl.Aggregator }

// Body is a weighted average, and the sum of the weights. Each learner starts its own rounds, so that the
// others take no part in them.
func (t Teacher) Body(g *dsl.Graph) {
	learners := g.Peers("learner")
	params := g.Input("params", dsl.Float32(2), dsl.From(learners))
	samples := g.Input("samples", dsl.Float32(), dsl.From(learners))
	mean, total := t.Average.AggregateWeighted(g, t.Average.Contribute(g, params, samples), dsl.Quorum(1), dsl.Within(time.Second))
	g.AppEmit("mean", mean)
	g.AppEmit("total", total)
	g.AppEmit("words", g.Input("words", dsl.String(dsl.Any)))
	g.AppEmit("word", g.Input("word", dsl.String()))
}

// Program returns both.
func Program() dsl.Program {
	return dsl.Program{Name: "roles", Modules: []dsl.Module{
		Learner{
			Model: dsl.Model{Bind: dsl.Go(parts.Scale{Rate: 0.1})}, Data: dsl.DataSource{Bind: dsl.Go(parts.Source{From: 1})},
			Engine: dsl.Backend{Bind: dsl.Go(parts.Engine{})}, Codec: dsl.CodecSlot{Bind: dsl.Go(codec.Int8{})},
			Own: dsl.Component{Bind: dsl.Go(parts.Own{})}, View: dsl.PeerSelector{Of: "learner", Bind: dsl.Go(peers.View{Class: "learner"})},
		},
		Teacher{Average: dsl.Aggregator{Bind: dsl.Go(fedavg.Average{})}},
	}}
}
