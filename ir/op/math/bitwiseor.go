package math

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// BitwiseOr is a | b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__BitwiseOr.html
var BitwiseOr = &op.Op{
	Name:    "BitwiseOr",
	Since:   []int{18},
	Inputs:  []op.Port{{Name: "A", Types: elem.Integers}, {Name: "B", Like: "A"}},
	Outputs: []op.Port{{Name: "C", Like: "A"}},
	Infer:   op.InferBinary,
	Lower:   op.Binary("BitwiseOr"),
	InPlace: true,
	Stops:   op.StopFromIntegers,

	Broadcasts: true,
}
