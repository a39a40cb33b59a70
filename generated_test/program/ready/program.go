// Package ready is a program with peers that need inputs before they accept others: a front scales the values
// of its host, with a worker that has a table.
package ready

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/generated_test/program/ready/parts"
)

// Scaler multiplies by a factor that the host gives it once.
type Scaler struct{ Keep dsl.Component }

// Bootstrap receives the factor.
func (s Scaler) Bootstrap(g *dsl.Graph) {
	s.Keep.Call(g, "Set", dsl.TriggerType, g.Input("factor", dsl.Float32()))
}

// Body multiplies.
func (s Scaler) Body(g *dsl.Graph) {
	g.Output("y", s.Keep.Call(g, "Times", dsl.Float32(), g.Input("x", dsl.Float32())))
}

// Front scales twice, and asks a worker for the rest.
type Front struct{ Scaler Scaler }

// Bootstrap passes the offset that it has received to the host.
func (Front) Bootstrap(g *dsl.Graph) {
	offset := g.Input("offset", dsl.Float32())
	g.BootstrapOutput("offset", g.Add(offset, offset))
}

// Body calls the module that has a Bootstrap twice: that runs once.
func (f Front) Body(g *dsl.Graph) {
	once := g.Call(f.Scaler, dsl.Args{"x": g.Input("x", dsl.Float32())}).Output("y")
	twice := g.Call(f.Scaler, dsl.Args{"x": once}).Output("y")
	g.NetOut("ask", g.Peers("worker"), twice)
	g.Output("y", g.Input("answer", dsl.Float32()))
}

// Worker looks up in a table.
type Worker struct{ Table dsl.Component }

// Bootstrap receives the table.
func (w Worker) Bootstrap(g *dsl.Graph) {
	w.Table.Call(g, "Set", dsl.TriggerType, g.Input("entry", dsl.Float32()))
}

// Body answers.
func (w Worker) Body(g *dsl.Graph) {
	x := g.Input("ask", dsl.Float32())
	g.NetOut("answer", g.Sender(x), w.Table.Call(g, "Times", dsl.Float32(), x))
}

// Program returns both.
func Program() dsl.Program {
	factor := dsl.Component{Bind: dsl.Go(parts.Factor{})}
	return dsl.Program{Name: "ready", Modules: []dsl.Module{Front{Scaler: Scaler{Keep: factor}}, Worker{Table: factor}}}
}
