package op

import "github.com/bbgen/bbgen/ir"

// Work is how many arithmetic operations a node performs: what its operator
// says, otherwise one for each element of the output if it computes at all.
func (o *Op) Work(n *ir.Node) ir.Dim {
	if o.FLOPs != nil {
		return o.FLOPs(n)
	}
	if y := n.Res(0); o.Widen && y != nil && y.Type.Kind == ir.Tensor {
		return Len(y)
	}
	return ir.C(0)
}
