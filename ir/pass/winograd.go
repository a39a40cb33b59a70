package pass

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// Winograd marks the convolutions that are faster by Winograd's transforms. Their
// results differ by some ten times the rounding errors of the plain form.
var Winograd = &Pass{Name: "winograd", Run: winograd, After: []*Pass{Layout}}

func winograd(m *ir.Module) error {
	m.Main.Body.Walk(func(n *ir.Node) {
		if n.Op == "ConvLast" && n.Domain == op.Own && op.WinogradPays(n) {
			n.Attrs.Set("winograd", int64(1))
		}
	})
	return nil
}
