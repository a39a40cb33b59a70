package math

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// BitwiseXor is a ^ b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__BitwiseXor.html
var BitwiseXor = &op.Op{
	Name:    "BitwiseXor",
	Since:   []int{18},
	Inputs:  []op.Port{{Name: "A", Types: elem.Integers}, {Name: "B", Like: "A"}},
	Outputs: []op.Port{{Name: "C", Like: "A"}},
	Infer:   op.InferBinary,
	Lower:   op.Binary("BitwiseXor"),
	InPlace: true,
	Stops:   op.StopFromIntegers,

	Broadcasts: true,
}
