// Package program is split learning: one peer has the data and the first half of a
// network, the other the second half. Values cross the wire in one direction and
// gradients in the other; the data stay where they are.
package program

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/examples/split/layer"
)

//go:generate go tool bbgen . -o ../peer

// Rounds is how many batches the network learns from.
const Rounds = 60

// Client is where the data are. It reads top to bottom, over to the server and
// back.
type Client struct {
	Front dsl.Component
	Back  dsl.Component
}

// Body is one batch.
func (c Client) Body(g *dsl.Graph) {
	round := g.Rounds(Rounds).Number()
	values := c.Front.CallN(g, "NextBatch", []dsl.Type{dsl.Float32("n", layer.Hidden), dsl.Int64("n")}, round)

	server := g.Peers("server")
	h := g.NetOut("h", server, values[0])
	labels := g.NetOut("labels", server, values[1])

	made := c.Back.CallN(g, "Step", []dsl.Type{dsl.Float32("m", layer.Hidden), dsl.Float32()}, h, labels)
	g.On("server").AppEmit("loss", made[1])
	dh := g.NetOut("dh", g.Sender(h), made[0])

	c.Front.CallN(g, "Learn", []dsl.Type{dsl.TriggerType}, dh)
}

// Program is the client's module; where it goes over to the server, bbgen cuts.
func Program() dsl.Program {
	return dsl.Program{Name: "split", Modules: []dsl.Module{Client{
		Front: dsl.Component{Bind: dsl.Go(layer.Front{Seed: 1})},
		Back:  dsl.Component{Bind: dsl.Go(layer.Back{Seed: 1})},
	}}}
}
