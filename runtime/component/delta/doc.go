// Package delta sends a model that changes as differences from the version that the receiver has, in a byte for each
// element of each version in between, or as a whole where that is shorter. A receiver that has missed versions, or has
// lost its state, names the version that it has, and gets what is missing.
//
//	// on the server
//	g.NetOut("version", clients, s.Versions.Call(g, "Put", dsl.Int64(), model))
//	have := g.Input("have", dsl.Int64(), dsl.From(clients))
//	g.NetOut("news", g.Sender(have), s.Versions.Call(g, "Since", dsl.Uint8(dsl.Any), have))
//	// on a client
//	version := g.Input("version", dsl.Int64())
//	g.NetOut("have", g.Sender(version), c.Copy.Call(g, "Version", dsl.Int64(), version))
//	model := c.Copy.Call(g, "Apply", dsl.Float32(dsl.Any), g.Input("news", dsl.Uint8(dsl.Any)))
//
// All receivers of a version have the same bits. They are near the sender's model: the error of a version is part of the
// difference of the next one, so that errors do not accumulate.
package delta
