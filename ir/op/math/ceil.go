package math

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Ceil is x rounded up.
//
// https://onnx.ai/onnx/operators/onnx__Ceil.html
var Ceil = &op.Op{
	Name:    "Ceil",
	Since:   []int{1, 6, 13},
	Attrs:   []op.Attr{{Name: "consumed_inputs", Kind: op.Ints, Until: 6}},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   op.InferSame,
	Grad:    op.ZeroGrad,
	Lower:   op.Unary("Ceil"),
	InPlace: true,
	Widen:   true,

	Pointwise: op.Always,
}
