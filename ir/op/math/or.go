package math

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Or is a || b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Or.html
var Or = &op.Op{
	Name:  "Or",
	Since: []int{1, 7},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Until: 7},
		{Name: "broadcast", Kind: op.Int, Default: 0, Until: 7},
	},
	Inputs:  []op.Port{{Name: "A", Types: elem.Bools}, {Name: "B", Like: "A"}},
	Outputs: []op.Port{{Name: "C", Types: elem.Bools}},
	Infer:   op.InferBinary,
	Upgrade: upgradeBroadcast,
	Lower:   op.Binary("Or"),
	InPlace: true,
	Stops:   op.StopBools,

	Broadcasts: true,
}
