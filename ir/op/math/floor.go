package math

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Floor is x rounded down.
//
// https://onnx.ai/onnx/operators/onnx__Floor.html
var Floor = &op.Op{
	Name:    "Floor",
	Since:   []int{1, 6, 13},
	Attrs:   []op.Attr{{Name: "consumed_inputs", Kind: op.Ints, Until: 6}},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   op.InferSame,
	Grad:    op.ZeroGrad,
	Lower:   op.Unary("Floor"),
	InPlace: true,
	Widen:   true,

	Pointwise: op.Always,
}
