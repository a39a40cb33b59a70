// Package own is a program with values of the author's Go types: they cross edges, wait in queues, are
// gathered, carried from round to round, and passed to the host.
package own

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/generated_test/program/own/parts"
)

// Rounds is the number of rounds.
const Rounds = 3

var (
	reading = dsl.GoType(parts.Reading{}, 256)
	summary = dsl.GoType(parts.Summary{}, 64)
	moment  = dsl.GoType(parts.Moment{}, 32)
)

// Station summarizes the readings of thermometers.
type Station struct {
	Sum   dsl.Aggregator
	Clerk dsl.Component
}

// Body asks all thermometers, with the summary of the round before.
func (s Station) Body(g *dsl.Graph) {
	r := g.Rounds(Rounds, dsl.IfShort(dsl.Repeat))
	last := r.Carry("last", s.Clerk.Call(g, "Begin", summary))
	all := g.Peers("thermometer", dsl.AtLeast(3))
	g.NetOut("last", all, last)
	g.NetOut("at", all, s.Clerk.Call(g, "At", moment, r.Number()))

	got := g.Input("reading", reading, dsl.From(all))
	sum := s.Sum.Aggregate(g, s.Sum.Contribute(g, got, dsl.Value{}), dsl.Quorum(2), summary)
	r.Next(last, sum)
	g.Output("summary", sum)
	g.AppEmit("text", s.Clerk.Call(g, "Text", dsl.String(), sum))
}

// Thermometer reads.
type Thermometer struct{ Sensor dsl.Component }

// Body answers with a reading, which then waits in a queue and in a place.
func (t Thermometer) Body(g *dsl.Graph) {
	last := g.Input("last", summary)
	q, place := g.Queue("readings", reading), g.Hold("latest", reading)
	x := t.Sensor.Call(g, "Read", reading, last)
	queued := q.Dequeue(q.Enqueue(x), place.Stash(x))
	g.NetOut("reading", g.Sender(last), x)
	g.AppEmit("held", place.Flush(queued))
	g.AppEmit("at", t.Sensor.Call(g, "Seconds", dsl.Int64(1), g.Input("at", moment)))
}

// Program returns both.
func Program() dsl.Program {
	return dsl.Program{Name: "own", Modules: []dsl.Module{
		Station{Sum: dsl.Aggregator{Bind: dsl.Go(parts.Sum{})}, Clerk: dsl.Component{Bind: dsl.Go(parts.Clerk{})}},
		Thermometer{Sensor: dsl.Component{Bind: dsl.Go(parts.Sensor{})}},
	}}
}
