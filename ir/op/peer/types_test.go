package peer_test

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
)

// TestTypes shows the types of the nodes in in.ir, and the errors of the other files, NAME.ir.
func TestTypes(t *testing.T) {
	golden.Run(t, "testdata/types_*.txtar", func(t *testing.T, a *golden.Archive) {
		for _, name := range a.Sections() {
			base, ok := strings.CutSuffix(name, ".ir")
			if !ok {
				continue
			}
			m, err := ir.Parse(name, a.Get(name))
			if err != nil {
				t.Fatal(err)
			}
			out := ""
			if err := pass.Run(m, []*pass.Pass{pass.Infer}, nil); err != nil {
				out = err.Error()
			} else {
				out = ir.Print(m)
			}
			a.Check("out/"+base, out)
		}
	})
}
