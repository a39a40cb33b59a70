package dsl_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/partitioner"
)

// patient is an author's pass: every send may take a minute.
var patient = &pass.Pass{Name: "patient", After: []*pass.Pass{pass.Inline}, Run: func(_ *pass.Context, m *ir.Module) error {
	m.Main.Body.Walk(func(n *ir.Node) {
		if n.Op == "Send" {
			n.Attrs.Set("deadline_ns", int64(60e9))
		}
	})
	return nil
}}

// TestPasses rewrites a program by an author's pass, and cuts it.
func TestPasses(t *testing.T) {
	p := split()
	p.Passes = []*pass.Pass{pass.Inline, patient}
	b, err := dsl.Build(p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := onnx.Decode("split", b, nil)
	if err == nil {
		err = pass.Run(m, pass.Pipeline, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	prog, err := partitioner.Make(m, partitioner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range prog.Edges {
		if e.Deadline.Seconds() != 60 {
			t.Errorf("edge %s may take %v, want a minute", e.Name, e.Deadline)
		}
	}
	if text := partitioner.Print(prog); len(prog.Edges) != 3 || strings.Count(text, ", within 1m0s") != 3 {
		t.Errorf("%d edges, want 3 within a minute:\n%s", len(prog.Edges), text)
	}
}

// TestPassErrors tests passes that fail, or leave an invalid graph.
func TestPassErrors(t *testing.T) {
	for _, c := range []struct {
		run  func(m *ir.Module) error
		want string
	}{
		{func(*ir.Module) error { return errors.New("too long") }, "pass own: too long"},
		{func(m *ir.Module) error {
			m.Main.Body.Results[0] = &ir.Value{Name: "nobody's"}
			return nil
		}, "what pass own has made: "},
	} {
		p := split()
		p.Passes = []*pass.Pass{{Name: "own", Run: func(_ *pass.Context, m *ir.Module) error { return c.run(m) }}}
		if _, err := dsl.Build(p); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
