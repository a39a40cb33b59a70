package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Equal is a == b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Equal.html
var Equal = &op.Op{
	Name:  "Equal",
	Since: []int{1, 7, 11, 13, 19},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Until: 7},
		{Name: "broadcast", Kind: op.Int, Default: 0, Until: 7},
	},
	Inputs:  []op.Port{{Name: "A", Types: elem.Equatable}, {Name: "B", Like: "A"}},
	Outputs: []op.Port{{Name: "C", Types: elem.Bools}},
	Infer:   inferEqual,
	Upgrade: upgradeBroadcast,
	Grad:    op.ZeroGrad,
	Lower:   op.Binary("Equal"),
	Widen:   true,

	Broadcasts: true,
}

func inferEqual(c *op.Infer) error {
	if err := op.InferCompare(c); err != nil {
		return err
	}
	knowBinary(c, func(a, b ir.Dim) (ir.Dim, bool) {
		equal, ok := equalDims(c.Module, a, b)
		if equal {
			return ir.C(1), ok
		}
		return ir.C(0), ok
	})
	return nil
}
