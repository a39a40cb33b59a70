// Package stream is a program that does nothing but send: a source gives a sink
// one large tensor after the other.
package stream

import (
	"math"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/internal/bench/distributed/program/plan"
)

// Source sends a tensor in each round, which ends when the sink has it.
type Source struct{ Plan dsl.Component }

// Body is what the source does.
func (s Source) Body(g *dsl.Graph) {
	r := g.Rounds(math.MaxInt32)
	g.NetOut("payload", g.Peers("sink"), s.Plan.Call(g, "Again", dsl.Float32(dsl.Any), r.Number()))
	r.Until(s.Plan.Call(g, "Sent", dsl.Bool(), r.Number(), g.Input("length", dsl.Int64())))
}

// Sink says how much has come.
type Sink struct{}

// Body is what the sink does.
func (Sink) Body(g *dsl.Graph) {
	payload := g.Input("payload", dsl.Float32(dsl.Any))
	g.NetOut("length", g.Peers("source"), g.ReduceMax(g.Shape(payload)))
}

// Program is both.
func Program() dsl.Program {
	return dsl.Program{Name: "stream", Modules: []dsl.Module{
		Source{dsl.Component{Bind: dsl.Go(plan.Plan{})}}, Sink{},
	}}
}
