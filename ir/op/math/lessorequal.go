package math

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// LessOrEqual is a <= b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__LessOrEqual.html
var LessOrEqual = &op.Op{
	Name:    "LessOrEqual",
	Since:   []int{12, 16},
	Inputs:  []op.Port{{Name: "A", Types: elem.Numbers}, {Name: "B", Like: "A"}},
	Outputs: []op.Port{{Name: "C", Types: elem.Bools}},
	Infer:   op.InferCompare,
	Grad:    op.ZeroGrad,
	Lower:   op.Binary("LessOrEqual"),
	Widen:   true,

	Broadcasts: true,
}
