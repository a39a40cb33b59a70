// Package program is split learning: one peer has the data and the first half of a network, another has the
// second half. Activations cross the network in one direction and gradients in the other; the data are not
// sent.
package program

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/examples/split/points"
)

//go:generate go tool bbgen . -o ../peer

// Rounds is the number of batches for training.
const Rounds = 60

// Client has the data. Its Body reads top to
// bottom, including the part on the server.
type Client struct {
	Points      dsl.Component
	Front, Back dsl.Model
}

// Body is one batch.
func (c Client) Body(g *dsl.Graph) {
	round := g.Rounds(Rounds).Number()
	batch := c.Points.CallN(g, "Batch", []dsl.Type{dsl.Float32("n", points.Size), dsl.Int64("n")}, round)

	server := g.Peers("server")
	h := g.NetOut("h", server, c.Front.Forward(g, batch[0], dsl.Float32("n", 8)))
	corners := g.NetOut("corners", server, batch[1])

	loss, dh := c.Back.TrainStepGradient(g, h, corners)
	g.On("server").AppEmit("loss", loss)

	c.Front.Backward(g, g.NetOut("dh", g.Sender(h), dh))
}

// Data is the source of the points.
var Data = points.Source{Seed: 1}

// Optimizer trains both halves.
var Optimizer = dsl.Optimizer{Name: "sgd", Rate: 0.1, Momentum: 0.9}

// Program returns the client's module, which bbgen cuts where it sends to the server. The first half has no
// loss: it receives the gradient of its output.
func Program() dsl.Program {
	return dsl.Program{Name: "split", Modules: []dsl.Module{Client{
		Points: dsl.Component{Bind: dsl.Go(Data)},
		Front:  dsl.Model{Bind: dsl.ONNX("../front.onnx", dsl.Train{Optimizer: Optimizer})},
		Back:   dsl.Model{Bind: dsl.ONNX("../back.onnx", dsl.Train{Optimizer: Optimizer, Loss: dsl.Loss{Name: "cross_entropy"}})},
	}}}
}
