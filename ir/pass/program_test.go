package pass_test

import (
	"testing"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
)

// TestProgram shows the result of the whole pipeline for distributed programs.
func TestProgram(t *testing.T) {
	golden.Run(t, "testdata/program_*.txtar", func(t *testing.T, a *golden.Archive) {
		m, err := ir.Parse(a.Name, a.Get("in.ir"))
		if err != nil {
			t.Fatal(err)
		}
		if err := pass.Run(m, pass.Pipeline, nil); err != nil {
			t.Fatal(err)
		}
		if err := ir.VerifyShapes(m); err != nil {
			t.Error(err)
		}
		a.Check("out/pipeline", ir.Print(m))
	})
}
