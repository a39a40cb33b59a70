// Package dsl is what authors of distributed programs write with.
//
// A program is modules, one for each class of peers. A [Module] is a Go type whose
// Body says, on a [Graph], what a peer of the class does: it computes, calls the
// components in its slots, and sends values to peers of other classes. Body runs
// once, when the program is compiled; what it does is recorded. [Build] makes an
// ONNX model of the record, which bbgen cuts at its edges into one static binary
// for each class.
//
//	type Client struct {
//		Model dsl.Model
//		Data  dsl.DataSource
//	}
//
//	func (c Client) Body(g *dsl.Graph) {
//		c.Model.LoadParameters(g, g.Input("params", dsl.Float32(dsl.Any)))
//		batch, labels := c.Data.NextBatch(g)
//		g.Output("loss", c.Model.TrainStep(g, batch, labels))
//		g.NetOut("update", g.Peers("server"), c.Model.Params(g))
//	}
//
// What leads from one class to another is an edge: a NetOut to peers of a class
// feeds the input of that name in the class's module. Where there is none, the
// value that NetOut returns is the one that the peers have, and what is done with
// it is done there: a program may be written as one module, top to bottom.
//
// What begins on a peer, such as a round, an input of the host, a timer, is an
// execution: what it sends arrives in the same one, and so does what is sent back.
// Peers of one class that send to each other are each in executions of their own; a
// Queue or a Hold takes values from one to another.
//
// Calls on a slot run one at a time, in the order in which they are recorded.
// Everything else runs when what it needs is there.
//
// [Plain] records a model that one machine computes, with weights of its own. Package
// nn writes networks with it.
//
// Mistakes do not stop the recording. Build returns them all, each with the file
// and line of the author's that it is about.
package dsl
