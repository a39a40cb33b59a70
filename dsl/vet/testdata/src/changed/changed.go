// Package changed has names and numbers that are not what they were first.
package changed

import "github.com/bbgen/bbgen/dsl"

type Server struct {
	Average dsl.Aggregator
	Few     dsl.PeerSelector
}

func (s Server) Body(g *dsl.Graph) {
	n, port := 2, "update"
	n++
	port += "s"
	few := s.Few.Sample(g, n)
	g.NetOut(port, few, g.Input("first", dsl.Float32()))
	x := g.Input("answer", dsl.Float32(), dsl.From(few))
	g.Output("mean", s.Average.Aggregate(g, s.Average.Contribute(g, x, dsl.Value{}), dsl.Quorum(3)))
}

func Program() dsl.Program { return dsl.Program{Modules: []dsl.Module{Server{}}} }
