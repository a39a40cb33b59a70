// Package program is a minimal distributed program: two classes of peers, one edge, and one role, which
// package sensor implements in ten lines.
package program

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/examples/quickstart/sensor"
)

//go:generate go tool bbgen . -o ../peer

// Thermometer reads its sensor five times,
// and sends the values to the stations.
type Thermometer struct{ Sensor dsl.Component }

// Body is one round of a thermometer.
func (t Thermometer) Body(g *dsl.Graph) {
	round := g.Rounds(5).Number()
	celsius := t.Sensor.Call(g, "Read", dsl.Float32(), round)
	g.NetOut("celsius", g.Peers("station"), celsius)
}

// Station passes the temperatures of thermometers to its host, in Fahrenheit.
type Station struct{}

// Body is one execution of a station.
func (Station) Body(g *dsl.Graph) {
	celsius := g.Input("celsius", dsl.Float32())
	fahrenheit := g.Add(g.Mul(celsius, g.Scalar(celsius, 1.8)), g.Scalar(celsius, 32))
	g.Output("fahrenheit", fahrenheit)
}

// Program returns the thermometer, with its sensor, and the station.
func Program() dsl.Program {
	slot := dsl.Component{Bind: dsl.Go(sensor.Sensor{Start: 20})}
	return dsl.Program{Name: "quickstart", Modules: []dsl.Module{Thermometer{slot}, Station{}}}
}
