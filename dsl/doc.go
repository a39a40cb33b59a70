// Package dsl is the language of distributed programs.
//
// A program consists of modules, one for each class of peers. A [Module] is a Go type. Its Body describes,
// on a [Graph], what a peer of the class does: it computes, calls the components in its slots, and sends
// values to peers of other classes. Body runs once, when the program is compiled, and its calls are recorded.
// [Build] writes the record as an ONNX model, which bbgen cuts at its edges into one static binary for each
// class.
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
// A connection from one class to another is an edge: a NetOut to peers of a class feeds the input of that name
// in the module of the class. If there is no such input, NetOut returns the value that the peers receive, and
// nodes that read it run there. So a program may also be written as one module, top to bottom.
//
// An execution starts with an event on a peer, such as a round, an input of the host or a timer. Values that it
// sends arrive in the same execution, and so do replies. Peers of one class that send to each other each have
// executions of their own; a Queue or a Hold carries values from one to another.
//
// Calls on a slot run one at a time, in the order in which they are recorded. Everything else runs when its
// inputs are present.
//
// [Plain] records a model that one machine computes, with its own weights. Package nn builds networks with it.
//
// Mistakes do not stop the recording. Build returns all of them, each with the author's file and line.
package dsl
