package math

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// BitwiseNot is the bits of x flipped.
//
// https://onnx.ai/onnx/operators/onnx__BitwiseNot.html
var BitwiseNot = &op.Op{
	Name:    "BitwiseNot",
	Since:   []int{18},
	Inputs:  []op.Port{{Name: "X", Types: elem.Integers}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   op.InferSame,
	Lower:   op.Unary("BitwiseNot"),
	InPlace: true,
	Stops:   op.StopFromIntegers,
}
