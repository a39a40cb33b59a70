package pass

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// FLOPs returns the number of arithmetic operations of one run, as declared by the operators: a
// multiplication and an addition count as two. Bodies of control flow count once.
func FLOPs(m *ir.Module) ir.Dim {
	sum := ir.C(0)
	m.Main.Body.Walk(func(n *ir.Node) {
		if o := op.Lookup(n); o != nil {
			sum = sum.Add(o.Work(n))
		}
	})
	return sum
}
