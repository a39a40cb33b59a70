package math

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Sign is 1, 0 or -1: the sign of x.
//
// https://onnx.ai/onnx/operators/onnx__Sign.html
var Sign = &op.Op{
	Name:    "Sign",
	Since:   []int{9, 13},
	Inputs:  []op.Port{{Name: "input", Types: elem.Numbers}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   op.InferSame,
	Grad:    op.ZeroGrad,
	Lower:   op.Unary("Sign"),
	InPlace: true,
	Widen:   true,

	Pointwise: op.Always,
}
