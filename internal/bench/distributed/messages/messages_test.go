package messages

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/internal/failtest"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Front asks a worker.
type Front struct{}

// Body sends floats, and receives an integer.
func (Front) Body(g *dsl.Graph) {
	g.NetOut("ask", g.Peers("worker"), g.Input("x", dsl.Float32(4)))
	g.Output("y", g.Input("answer", dsl.Int64(4)))
}

// Worker answers.
type Worker struct{}

// Body rounds.
func (Worker) Body(g *dsl.Graph) {
	x := g.Input("ask", dsl.Float32(4))
	g.NetOut("answer", g.Sender(x), g.Cast(x, tensor.Int64))
}

// check returns the failures of Check.
func check(t *testing.T, modules []dsl.Module, want ...string) failtest.Result {
	return failtest.Run(t, func(r testing.TB) { Check(r, dsl.Program{Name: "service", Modules: modules}, want...) })
}

// TestCheck: exactly the program's edges are accepted, each with its type.
func TestCheck(t *testing.T) {
	const ask, answer = "front to worker: float32", "worker to front: int64"
	for _, c := range []struct{ want, errors []string }{
		{[]string{ask, answer}, nil},
		{[]string{ask}, []string{`["front to worker: float32" "worker to front: int64"], want ["front to worker: float32"]`}},
		{[]string{ask, "worker to front: float32"}, []string{`["front to worker: float32" "worker to front: int64"], want ["front to worker: float32" "worker to front: float32"]`}},
		{nil, []string{`["front to worker: float32" "worker to front: int64"], want []`}},
	} {
		if r := check(t, []dsl.Module{Front{}, Worker{}}, c.want...); r.Ended || !slices.Equal(r.Errors, c.errors) {
			t.Errorf("%q: got %q, fatal: %v, want %q", c.want, r.Errors, r.Ended, c.errors)
		}
	}
}

// TestCheckInvalid: a test of a program that cannot be compiled ends.
func TestCheckInvalid(t *testing.T) {
	for name, modules := range map[string][]dsl.Module{"no module": nil, "an edge from nobody": {Worker{}}} {
		if r := check(t, modules); !r.Ended {
			t.Errorf("%s: got %q, want that the test ends", name, r.Errors)
		}
	}
}
