// Package ports has edges without an end.
package ports

import "github.com/bbgen/bbgen/dsl"

const update = "update"

type Server struct{}

func (Server) Body(g *dsl.Graph) {
	clients := g.Peers("client")
	g.NetOut("params", clients, g.Input("first", dsl.Float32()))
	g.NetOut("parms", clients, g.Input("first", dsl.Float32())) // want `NetOut "parms" feeds no input, and its result is not used: the inputs are first, params, samples, update`
	there := g.NetOut("beside", clients, g.Input("first", dsl.Float32()))
	g.Output("there", g.Add(there, there))
	from := dsl.From(clients)
	g.Output("updates", g.Input(update, dsl.Float32(), from))
	g.Output("samples", g.Input("samples", dsl.Float32(), dsl.From(clients))) // want `input "samples" is to come from peers, and no NetOut feeds it: the NetOuts are beside, params, parms, update`
}

type Client struct{}

func (Client) Body(g *dsl.Graph) {
	g.NetOut(update, g.Peers("server"), g.Input("params", dsl.Float32()))
}

func Program() dsl.Program { return dsl.Program{Modules: []dsl.Module{Server{}, Client{}}} }
