package math

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Round is x rounded to a whole number, halves to the even one.
//
// https://onnx.ai/onnx/operators/onnx__Round.html
var Round = &op.Op{
	Name:    "Round",
	Since:   []int{11, 22},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   op.InferSame,
	Grad:    op.ZeroGrad,
	Lower:   op.Unary("Round"),
	InPlace: true,
	Widen:   true,

	Pointwise: op.Always,
}
