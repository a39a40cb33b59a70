// Package post is a program in which the host
// names the receiving peers at run time.
package post

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/runtime/component/fedavg"
)

// Front asks one worker, and several.
type Front struct{ Mean dsl.Aggregator }

// Body has three inputs of the host: a peer, peers and a number.
func (f Front) Body(g *dsl.Graph) {
	vec := dsl.Float32(1)
	to, all, x := g.Input("to", dsl.PeerType), g.Input("all", dsl.PeersType), g.Input("x", vec)
	g.NetOut("ask", to, x)
	g.Output("reply", g.Input("answer", vec))
	g.AppEmit("later", g.Input("later", vec))

	g.NetOut("vote", all, x)
	vote := g.Input("voted", vec, dsl.From(all))
	g.Output("mean", f.Mean.Aggregate(g, f.Mean.Contribute(g, vote, dsl.Value{}), dsl.Quorum(dsl.All)))
}

// Worker answers each request: at once, and from a queue of requests.
type Worker struct{}

// Body answers.
func (Worker) Body(g *dsl.Graph) {
	vec := dsl.Float32(1)
	x := g.Input("ask", vec)
	g.NetOut("answer", g.Sender(x), g.Add(x, x))
	askers := g.Queue("askers", dsl.PeerType)
	g.NetOut("later", askers.Dequeue(askers.Enqueue(g.Sender(x))), g.Neg(x), dsl.To("front"))

	y := g.Input("vote", vec)
	g.NetOut("voted", g.Sender(y), g.Mul(y, y))
}

// Program returns both.
func Program() dsl.Program {
	return dsl.Program{Name: "post", Modules: []dsl.Module{Front{Mean: dsl.Aggregator{Bind: dsl.Go(fedavg.Average{})}}, Worker{}}}
}
