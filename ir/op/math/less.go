package math

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Less is a < b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Less.html
var Less = &op.Op{
	Name:  "Less",
	Since: []int{1, 7, 9, 13},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Until: 7},
		{Name: "broadcast", Kind: op.Int, Default: 0, Until: 7},
	},
	Inputs:  []op.Port{{Name: "A", Types: elem.Numbers}, {Name: "B", Like: "A"}},
	Outputs: []op.Port{{Name: "C", Types: elem.Bools}},
	Infer:   op.InferCompare,
	Upgrade: upgradeBroadcast,
	Grad:    op.ZeroGrad,
	Lower:   op.Binary("Less"),
	Widen:   true,

	Broadcasts: true,
}
