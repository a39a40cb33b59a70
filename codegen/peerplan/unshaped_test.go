package peerplan_test

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/codegen/peerplan"
	"github.com/bbgen/bbgen/codegen/peerplan/plantest"
	"github.com/bbgen/bbgen/internal/golden"
)

// TestUnshaped shows what is said of edges on which values of any size arrive.
func TestUnshaped(t *testing.T) {
	golden.Run(t, "testdata/unshaped_*.txtar", func(t *testing.T, a *golden.Archive) {
		var notes []string
		for _, part := range plantest.Program(t, a).Parts {
			p, err := peerplan.Make(part, plantest.Components(a, part))
			if err != nil {
				t.Fatal(err)
			}
			notes = append(notes, p.Unshaped()...)
		}
		a.Check("out/notes", strings.Join(notes, "\n"))
	})
}
