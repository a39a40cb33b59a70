package dsl_test

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/dsl"
)

// ping and pong call each other.
type (
	ping struct{}
	pong struct{}
)

func (ping) Body(g *dsl.Graph) {
	x := g.Input("x", dsl.Float32(2))
	g.Output("y", g.Call(pong{}, dsl.Args{"x": x}).Output("y"))
}

func (pong) Body(g *dsl.Graph) {
	x := g.Input("x", dsl.Float32(2))
	// Two calls: the second one must not be recorded.
	y := g.Call(ping{}, dsl.Args{"x": x}).Output("y")
	g.Output("y", g.Add(y, g.Call(ping{}, dsl.Args{"x": y}).Output("y")))
}

// deeper calls itself without end, each time with another value.
type deeper struct{ Level int }

func (d deeper) Body(g *dsl.Graph) {
	x := g.Input("x", dsl.Float32(2))
	y := g.Call(deeper{d.Level + 1}, dsl.Args{"x": x}).Output("y")
	g.Output("y", g.Add(y, g.Call(deeper{d.Level + 1}, dsl.Args{"x": x}).Output("y")))
}

// tree calls itself and ends.
type tree struct{ Level int }

func (t tree) Body(g *dsl.Graph) {
	x := g.Input("x", dsl.Float32(2))
	if t.Level > 0 {
		x = g.Add(x, g.Call(tree{t.Level - 1}, dsl.Args{"x": x}).Output("y"))
	}
	g.Output("y", x)
}

// TestCircle tests that endless mutual calls of modules are reported with the chain of calls, before memory
// is exhausted.
func TestCircle(t *testing.T) {
	root := func(m dsl.Module) dsl.Program {
		return dsl.Program{Name: "p", Modules: []dsl.Module{client{func(g *dsl.Graph) {
			x := g.Input("x", dsl.Float32(2))
			g.Output("y", g.Call(m, dsl.Args{"x": x}).Output("y"))
		}}}}
	}
	for _, c := range []struct {
		m    dsl.Module
		want []string
	}{
		{ping{}, []string{"modules call each other in a circle: ping calls pong (circle_test.go:18) calls ping"}},
		{deeper{}, []string{"calls of modules stand 101 deep inside each other, want 100 at most; the last are deeper calls deeper (circle_test.go:", " calls deeper"}},
	} {
		_, err := dsl.Build(root(c.m))
		if err == nil {
			t.Errorf("%T is recorded", c.m)
			continue
		}
		for _, want := range c.want {
			if n := strings.Count(err.Error(), "\n"); !strings.Contains(strings.ReplaceAll(err.Error(), "dsl/", ""), want) || n > 3 {
				t.Errorf("%T: got %v, want %s in it, and little else", c.m, err, want)
			}
		}
	}
	if _, err := dsl.Build(root(tree{20})); err != nil {
		t.Errorf("a module that ends: %v", err)
	}
}
