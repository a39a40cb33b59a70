package engine

import (
	"fmt"
	"testing"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestMerge tests the merging of programs. A Run's attribute "graph" names the section with its graph; there
// is one for each graph in the result.
func TestMerge(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		m, err := ir.Parse(a.Name, a.Get("in.ir"))
		if err != nil {
			t.Fatal(err)
		}
		m.Main.Body.Walk(func(n *ir.Node) {
			if op.Lookup(n) != peer.BackendRun {
				return
			}
			name := n.Str("graph")
			g, err := ir.Parse(name, a.Get(name))
			if err == nil {
				err = pass.Infer.Apply(g)
			}
			if err != nil {
				t.Fatal(err)
			}
			b, err := onnx.Encode(g)
			if err != nil {
				t.Fatal(err)
			}
			n.Attrs.Set("graph", tensor.Of(b, len(b)))
		})
		if err := pass.Infer.Apply(m); err != nil {
			t.Fatal(err)
		}
		if err := Merge(m); err != nil {
			t.Fatal(err)
		}
		if err := pass.Infer.Apply(m); err != nil {
			t.Fatal(err)
		}
		if err := ir.Verify(m); err != nil {
			t.Fatal(err)
		}
		var graphs []string
		m.Main.Body.Walk(func(n *ir.Node) {
			if op.Lookup(n) != peer.BackendRun {
				return
			}
			g, err := decode(n)
			if err != nil {
				t.Fatal(err)
			}
			n.Attrs.Set("graph", fmt.Sprintf("out/graph%d", len(graphs)))
			graphs = append(graphs, ir.Print(g))
		})
		a.Check("out/program", ir.Print(m))
		for i, text := range graphs {
			a.Check(fmt.Sprintf("out/graph%d", i), text)
		}
	})
}
