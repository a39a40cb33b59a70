package grad_test

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/internal/gradcheck"
	"github.com/bbgen/bbgen/ir"
)

// TestFlow compares the gradients of whole graphs by their inputs with central differences. Operators are
// tested separately in their families: ir/op/*/testdata.
func TestFlow(t *testing.T) {
	golden.Run(t, "testdata/flow.txtar", func(t *testing.T, a *golden.Archive) {
		for _, name := range a.Sections() {
			t.Run(strings.TrimSuffix(name, ".ir"), func(t *testing.T) {
				m, err := ir.Parse(name, a.Get(name))
				if err != nil {
					t.Fatal(err)
				}
				if err := gradcheck.Graph(m); err != nil {
					t.Error(err)
				}
			})
		}
	})
}
