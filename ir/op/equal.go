package op

import (
	"github.com/bbgen/bbgen/ir"
)

// Equal is a == b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Equal.html
var Equal = &Op{
	Name:  "Equal",
	Since: []int{1, 7, 11, 13, 19},
	Attrs: []Attr{
		{Name: "axis", Kind: Int, Until: 7},
		{Name: "broadcast", Kind: Int, Default: 0, Until: 7},
	},
	Inputs:  []Port{{Name: "A", Types: equatable}, {Name: "B", Like: "A"}},
	Outputs: []Port{{Name: "C", Types: bools}},
	Infer:   inferEqual,
	Upgrade: upgradeBroadcast,
	Grad:    ZeroGrad,
	Lower:   binary("Equal"),
	Widen:   true,

	Broadcasts: true,
}

func inferEqual(c *Infer) error {
	if err := inferCompare(c); err != nil {
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
