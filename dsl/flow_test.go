package dsl_test

import "github.com/bbgen/bbgen/dsl"

// Collatz counts the steps from a number to 1: halved if it is even, else three
// times that and one more.
type Collatz struct{}

func (Collatz) Body(g *dsl.Graph) {
	n := g.NetOut("n", g.Peers("other"), g.Input("n", dsl.Float32()), dsl.Codec("float16"))
	one := g.Const(float32(1))
	count := g.Loop(g.Const(1000), func(g *dsl.Graph, i dsl.Value, x []dsl.Value) (dsl.Value, []dsl.Value) {
		odd := g.Equal(g.Op("Mod", dsl.Attrs{"fmod": 1}, x[0], g.Const(float32(2))), one)
		next := g.If(odd, func(g *dsl.Graph) []dsl.Value {
			return []dsl.Value{g.Add(g.Mul(x[0], g.Const(float32(3))), one)}
		}, func(g *dsl.Graph) []dsl.Value {
			return []dsl.Value{g.Div(x[0], g.Const(float32(2)))}
		})[0]
		return g.Not(g.Equal(next, one)), []dsl.Value{next, g.Add(x[1], g.Const(1))}
	}, n, g.Const(0))[1]
	g.AppEmit("count", count)
}

func flow() dsl.Program { return dsl.Program{Name: "flow", Modules: []dsl.Module{Collatz{}}} }
