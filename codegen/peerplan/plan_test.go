package peerplan_test

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/codegen/peerplan/plantest"
	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
)

// TestPlan shows the plans of the peers of small programs.
func TestPlan(t *testing.T) {
	golden.Run(t, "testdata/plan_*.txtar", func(t *testing.T, a *golden.Archive) {
		for _, part := range plantest.Program(t, a).Parts {
			p, err := peerplan.Make(part, plantest.Components(a, part))
			if err != nil {
				t.Fatal(err)
			}
			a.Check("out/"+part.Class, peerplan.Print(p))
		}
	})
}

// TestError shows the errors of programs for which no code can be generated.
func TestError(t *testing.T) {
	golden.Run(t, "testdata/error_*.txtar", func(t *testing.T, a *golden.Archive) {
		part := plantest.Program(t, a).Parts[0]
		_, err := peerplan.Make(part, plantest.Components(a, part))
		if err == nil {
			t.Fatal("no error")
		}
		a.Check("out/error", err.Error())
	})
}

// TestSchema tests that a snapshot's schema depends on its fields, by names and types, and not on the code of
// blocks.
func TestSchema(t *testing.T) {
	const text = `module "m"
opset 20, "ai.bytesandbrains.syscall" 1

func @main(%a.x: float32[4]) -> () {
  %later = "ai.bytesandbrains.syscall":After() {delay_ns = 5} @a
  %g = "ai.bytesandbrains.syscall":Gate(%a.x, %later) @a
  %y = Relu(%g) @a
  %out = "ai.bytesandbrains.syscall":AppEmit(%y) {name = "y"} @a
}
`
	schema := func(from, to string) uint64 {
		m, err := ir.Parse("m", strings.ReplaceAll(text, from, to))
		if err != nil {
			t.Fatal(err)
		}
		p, err := peerplan.Make(plantest.Cut(t, m, nil).Parts[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		return p.Schema
	}
	want := schema("Relu", "Relu")
	if got := schema("Relu", "Neg"); got != want {
		t.Error("another computation makes another snapshot")
	}
	for _, c := range [][2]string{{"a.x", "a.z"}, {"float32[4]", "float32[5]"}, {"%later", "%sooner"}} {
		if got := schema(c[0], c[1]); got == want {
			t.Errorf("%s for %s: the snapshot is the same", c[1], c[0])
		}
	}
}
