package dsl_test

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/ir"
)

// TestAttrFloat: an author may write an integer where an operator wants a float.
func TestAttrFloat(t *testing.T) {
	m, err := dsl.Record(dsl.Program{Name: "leaky", Modules: []dsl.Module{client{func(g *dsl.Graph) {
		g.Output("y", g.Op("LeakyRelu", dsl.Attrs{"alpha": 2}, g.Input("x", dsl.Float32(2))))
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	if text := ir.Print(m); !strings.Contains(text, "LeakyRelu(%client/x) {alpha = 2.0}") {
		t.Errorf("the integer is no float:\n%s", text)
	}
}
