// Package halves is a program with models that have several inputs, outputs and targets: one that is split
// between two peers, the same on one, and on peers that average gradients.
package halves

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/generated_test/program/halves/samples"
)

// Rounds is the number of training steps.
const Rounds = 20

// Client has the data and the first half.
type Client struct {
	Samples     dsl.Component
	Front, Back dsl.Model
}

// Body is one step over the network and back. The values on edges are bundles.
func (c Client) Body(g *dsl.Graph) {
	round := g.Rounds(Rounds).Number()
	some := c.Samples.CallN(g, "Of", []dsl.Type{dsl.Float32("n", 4), dsl.Int64("n"), dsl.Float32("n", 2), dsl.Float32("n", 2)}, round)
	out := c.Front.Forward(g, g.Bundle(some[:2]...), dsl.Float32("n", 3), dsl.Float32("n", 2))

	server := g.Peers("server")
	h := g.NetOut("h", server, out)
	targets := g.NetOut("targets", server, g.Bundle(some[2:]...))
	g.On("server").AppEmit("before", c.Back.ComputeLoss(g, h, targets))
	loss, dh := c.Back.TrainStepGradient(g, h, targets)
	g.On("server").AppEmit("loss", loss)
	dx := c.Front.Backward(g, g.NetOut("dh", g.Sender(h), dh))

	g.AppEmit("dx", dx) // of the numbers: words have no gradient
}

// Alone is the peer with the whole model.
type Alone struct {
	Whole dsl.Model
	Data  dsl.DataSource
}

// Body is the same step on one peer, and the model's output for the batch afterwards.
func (a Alone) Body(g *dsl.Graph) {
	round := g.Rounds(Rounds).Number()
	g.AppEmit("loss", a.Whole.TrainSteps(g, a.Data, 1, dsl.When(g.GateDispatch(round))))
}

// Parted is the same peer, but there may be several: they average their gradients, in parts.
type Parted struct {
	Whole   dsl.Model
	Samples dsl.Component
}

// Body is the same step, whose parts are averaged while the backward pass computes the next ones.
func (p Parted) Body(g *dsl.Graph) {
	round := g.Rounds(Rounds).Number()
	some := p.Samples.CallN(g, "Of", []dsl.Type{dsl.Float32("n", 4), dsl.Int64("n"), dsl.Float32("n", 2), dsl.Float32("n", 2)}, round)
	parts, loss := p.Whole.GradientBuckets(g, g.Bundle(some[:2]...), g.Bundle(some[2:]...), 3)
	all := g.Peers("parted")
	for i, part := range parts {
		parts[i] = g.AllReduce(part, all, dsl.Mean, dsl.IfLost(dsl.Wait))
	}
	p.Whole.ApplyGradients(g, g.Concat(0, parts...))
	g.AppEmit("loss", loss)
}

// Program returns all.
func Program() dsl.Program {
	o := dsl.Optimizer{Name: "sgd", Rate: 0.2, Momentum: 0.9}
	loss := dsl.Loss{Name: "mse", Reduction: "none"} // with a weight for each number, which is a target, too
	source := samples.Source{Seed: 1, Size: 8}
	return dsl.Program{Name: "halves", Modules: []dsl.Module{
		Client{
			Samples: dsl.Component{Bind: dsl.Go(source)},
			Front:   dsl.Model{Bind: dsl.ONNX("front.onnx", dsl.Train{Optimizer: o})},
			Back:    dsl.Model{Bind: dsl.ONNX("back.onnx", dsl.Train{Optimizer: o, Loss: loss})},
		},
		Alone{
			Whole: dsl.Model{Bind: dsl.ONNX("whole.onnx", dsl.Train{Optimizer: o, Loss: loss})},
			Data:  dsl.DataSource{Bind: dsl.Go(source)},
		},
		Parted{
			Whole:   dsl.Model{Bind: dsl.ONNX("whole.onnx", dsl.Train{Optimizer: o, Loss: loss})},
			Samples: dsl.Component{Bind: dsl.Go(source)},
		},
	}}
}
