package math

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// GreaterOrEqual is a >= b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__GreaterOrEqual.html
var GreaterOrEqual = &op.Op{
	Name:    "GreaterOrEqual",
	Since:   []int{12, 16},
	Inputs:  []op.Port{{Name: "A", Types: elem.Numbers}, {Name: "B", Like: "A"}},
	Outputs: []op.Port{{Name: "C", Types: elem.Bools}},
	Infer:   op.InferCompare,
	Grad:    op.ZeroGrad,
	Lower:   op.Binary("GreaterOrEqual"),
	Widen:   true,

	Broadcasts: true,
}
