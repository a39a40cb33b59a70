// Package open has ports whose other ends may be anywhere: a protocol's, or those of a name
// that only a run knows.
package open

import "github.com/bbgen/bbgen/dsl"

type Server struct{ Gossip dsl.Protocol }

func (s Server) Body(g *dsl.Graph) {
	s.Gossip.Serve(g, "talk", "server")
	g.NetOut("talk", g.Peers("server"), g.Input("first", dsl.Float32()))
}

func Program() dsl.Program { return dsl.Program{Modules: []dsl.Module{Server{}}} }
