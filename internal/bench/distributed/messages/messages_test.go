package messages

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/dsl"
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

// recorder records the failures of a test.
type recorder struct {
	testing.TB
	errors []string
	fatal  bool
}

func (r *recorder) Fatal(...any) {
	r.fatal = true
	runtime.Goexit()
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// check returns the failures of Check.
func check(t *testing.T, modules []dsl.Module, want ...string) *recorder {
	r, done := &recorder{TB: t}, make(chan bool)
	go func() {
		defer close(done)
		Check(r, dsl.Program{Name: "service", Modules: modules}, want...)
	}()
	<-done
	return r
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
		if r := check(t, []dsl.Module{Front{}, Worker{}}, c.want...); r.fatal || !slices.Equal(r.errors, c.errors) {
			t.Errorf("%q: got %q, fatal: %v, want %q", c.want, r.errors, r.fatal, c.errors)
		}
	}
}

// TestCheckInvalid: a test of a program that cannot be compiled ends.
func TestCheckInvalid(t *testing.T) {
	for name, modules := range map[string][]dsl.Module{"no module": nil, "an edge from nobody": {Worker{}}} {
		if r := check(t, modules); !r.fatal {
			t.Errorf("%s: got %q, want that the test ends", name, r.errors)
		}
	}
}
