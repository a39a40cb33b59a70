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

// Some asks for a number of peers that has a default.
func (s Server) Some(g *dsl.Graph, quorum int) dsl.Value {
	asked := 1
	for asked = range 3 {
	}
	var more int
	if asked > 1 {
		more = 1
	}
	for _, n := range []int{asked, more, quorum} {
		if quorum == 0 {
			quorum = 9
		}
		x := g.Input("number", dsl.Float32(), dsl.From(s.Few.Sample(g, 3)))
		s.Average.Aggregate(g, s.Average.Contribute(g, x, dsl.Value{}), dsl.Quorum(quorum), dsl.Quorum(n))
		y := g.Input("number", dsl.Float32(), dsl.From(s.Few.Sample(g, more)))
		s.Average.Aggregate(g, s.Average.Contribute(g, y, dsl.Value{}), dsl.Quorum(2))
		z := g.Input("number", dsl.Float32(), dsl.From(s.Few.Sample(g, asked)))
		s.Average.Aggregate(g, s.Average.Contribute(g, z, dsl.Value{}), dsl.Quorum(2))
	}
	return dsl.Value{}
}

func Program() dsl.Program { return dsl.Program{Modules: []dsl.Module{Server{}}} }
