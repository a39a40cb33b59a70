// Package library has a module whose slot the programs of other packages fill.
package library

import "github.com/bbgen/bbgen/dsl"

type Server struct{ Model dsl.Model }

func (s Server) Body(g *dsl.Graph) {
	x := g.Input("x", dsl.Float32(4))
	g.Output("y", s.Model.Forward(g, x, dsl.Float32(2)))
}
