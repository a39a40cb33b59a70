// Package walking is a program in which a token walks between workers. Each of them trains the model in it on
// measurements of its own; the model is the line through the measurements of all.
package walking

import (
	"time"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/generated_test/program/walking/parts"
	"github.com/bbgen/bbgen/runtime/component/sampling"
	"github.com/bbgen/bbgen/runtime/component/walk"
)

// Worker is one of many equal peers.
type Worker struct {
	Shuffle dsl.Protocol
	Walk    dsl.Protocol
	Line    dsl.Component
}

// Body passes the token on in each period, and reports the model and the state of the walk.
func (w Worker) Body(g *dsl.Graph) {
	w.Shuffle.Run(g, "shuffle", 2*time.Second)
	w.Walk.Run(g, "walk", 200*time.Millisecond)
	tick := g.Interval(time.Second)
	g.AppEmit("model", w.Walk.Call(g, "Model", dsl.Float64(dsl.Any), tick))
	g.AppEmit("state", w.Walk.Call(g, "State", dsl.Int64(3), tick))
	g.AppEmit("trained", w.Line.Call(g, "Trained", dsl.Int64(), tick))
}

// Program returns the workers.
func Program() dsl.Program {
	return dsl.Program{Name: "walking", Modules: []dsl.Module{Worker{
		Shuffle: dsl.Protocol{Bind: dsl.Go(sampling.Shuffle{Class: "worker", Size: 4, Random: true})},
		Walk:    dsl.Protocol{Bind: dsl.Go(walk.Walk{Silence: 300}).Needs("Others", "Shuffle").Needs("Trainer", "Line")},
		Line:    dsl.Component{Bind: dsl.Go(parts.Line{})},
	}}}
}
