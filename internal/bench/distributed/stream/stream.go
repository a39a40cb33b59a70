// Package stream is a program that only sends: a source sends large tensors to a sink, several at a time.
package stream

import (
	"fmt"
	"math"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/internal/bench/distributed/program/plan"
)

// Lanes is the number of tensors in transit.
const Lanes = 3

// Source sends a tensor in each round of a lane, which ends when the sink has received it.
type Source struct{ Plan dsl.Component }

// Body is the source's module.
func (s Source) Body(g *dsl.Graph) {
	for i := range Lanes {
		r := g.Rounds(math.MaxInt32)
		g.NetOut(lane("payload", i), g.Peers("sink"), s.Plan.Call(g, "Again", dsl.Float32(dsl.Any), r.Number()))
		r.Until(s.Plan.Call(g, "Sent", dsl.Bool(), r.Number(), g.Input(lane("length", i), dsl.Int64())))
	}
}

// Sink reports the amount of received data.
type Sink struct{}

// Body is the sink's module.
func (Sink) Body(g *dsl.Graph) {
	for i := range Lanes {
		payload := g.Input(lane("payload", i), dsl.Float32(dsl.Any))
		g.NetOut(lane("length", i), g.Peers("source"), g.ReduceMax(g.Shape(payload)))
	}
}

func lane(name string, i int) string { return fmt.Sprint(name, i) }

// Program returns both.
func Program() dsl.Program {
	return dsl.Program{Name: "stream", Modules: []dsl.Module{
		Source{dsl.Component{Bind: dsl.Go(plan.Plan{})}}, Sink{},
	}}
}
