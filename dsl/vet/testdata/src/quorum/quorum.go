// Package quorum wants more peers than it asks.
package quorum

import "github.com/bbgen/bbgen/dsl"

const sample = 4

type Server struct {
	Average dsl.Aggregator
	Few     dsl.PeerSelector
}

func (s Server) Body(g *dsl.Graph) {
	few := s.Few.Sample(g, sample)
	one := g.PeerInTurn("client")
	near := s.Few.SelectNear(g, one, 2)
	s.mean(g, g.Peers("client"))
	x := g.Input("x", dsl.Float32(), dsl.From(few))
	contributed := s.Average.Contribute(g, x, dsl.Value{})
	g.Output("a", s.Average.Aggregate(g, contributed, dsl.Quorum(sample)))
	g.Output("b", s.Average.Aggregate(g, contributed, dsl.Quorum(dsl.All)))
	g.Output("c", s.Average.Aggregate(g, contributed, dsl.Quorum(sample+1))) // want `the quorum is 5, and 4 can answer at most: it is never reached`
	y := s.Average.Contribute(g, g.Input("y", dsl.Float32(), dsl.From(one)), dsl.Value{})
	g.Output("d", s.Average.Aggregate(g, y, dsl.Quorum(2))) // want `the quorum is 2, and 1 can answer at most`
	z := s.Average.Contribute(g, g.Input("z", dsl.Float32(), dsl.From(near)), dsl.Value{})
	g.Output("e", s.Average.Aggregate(g, z, dsl.Quorum(3)))  // want `the quorum is 3, and 2 can answer at most`
	g.Output("f", s.Average.Aggregate(g, z, dsl.Quorum(-1))) // want `the quorum is -1, want 1 or more, or All`
}

// mean has as many peers as the caller says.
func (s Server) mean(g *dsl.Graph, of dsl.Value) {
	x := g.Input("w", dsl.Float32(), dsl.From(of))
	g.Output("w", s.Average.Aggregate(g, s.Average.Contribute(g, x, dsl.Value{}), dsl.Quorum(100)))
}
