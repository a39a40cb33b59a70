package math

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// IsNaN reports which elements are not a number.
//
// https://onnx.ai/onnx/operators/onnx__IsNaN.html
var IsNaN = &op.Op{
	Name:    "IsNaN",
	Since:   []int{9, 13, 20},
	Inputs:  []op.Port{{Name: "X", Types: elem.FloatsOr8}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Bools}},
	Infer:   op.InferBool,
	Grad:    op.ZeroGrad,
	Lower:   op.Unary("IsNaN"),
	Widen:   true,
}
