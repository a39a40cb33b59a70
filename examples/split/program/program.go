// Package program is split learning: one peer has the data and the first half of a
// network, the other the second half. Values cross the wire in one direction and
// gradients in the other; the data stay where they are.
package program

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/examples/split/points"
)

//go:generate go tool bbgen . -o ../peer

// Rounds is how many batches the network learns from.
const Rounds = 60

// Client is where the data are. It reads top to bottom, over to the server and
// back.
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

// Data is where the points come from.
var Data = points.Source{Seed: 1}

// Optimizer is how both halves are trained.
var Optimizer = dsl.Optimizer{Name: "sgd", Rate: 0.1, Momentum: 0.9}

// Program returns the client's module; where it goes over to the server, bbgen cuts. The
// first half has no loss: the gradient of what it sends comes back.
func Program() dsl.Program {
	return dsl.Program{Name: "split", Modules: []dsl.Module{Client{
		Points: dsl.Component{Bind: dsl.Go(Data)},
		Front:  dsl.Model{Bind: dsl.ONNX("../front.onnx", dsl.Train{Optimizer: Optimizer})},
		Back:   dsl.Model{Bind: dsl.ONNX("../back.onnx", dsl.Train{Optimizer: Optimizer, Loss: dsl.Loss{Name: "cross_entropy"}})},
	}}}
}
