// Package program is recorded by a test.
package program

import "github.com/bbgen/bbgen/dsl"

// Doubler doubles what the host gives.
type Doubler struct{}

// Body has one operator.
func (Doubler) Body(g *dsl.Graph) {
	x := g.Input("x", dsl.Float32(2))
	g.Output("y", g.Add(x, x))
}
