// Package unread is a program with an input and a result that are not used.
package unread

import "github.com/bbgen/bbgen/dsl"

type Server struct{}

func (Server) Body(g *dsl.Graph) {
	x := g.Input("x", dsl.Float32())
	g.Input("forgotten", dsl.Float32())
	g.Neg(x)
	double(g, x)
	g.Output("y", g.Abs(x))
}

// double is another place with an unused result, which only the record shows.
func double(g *dsl.Graph, x dsl.Value) dsl.Value { return g.Add(x, x) }

func Program() dsl.Program { return dsl.Program{Name: "unread", Modules: []dsl.Module{Server{}}} }
