package math

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Not is !x.
//
// https://onnx.ai/onnx/operators/onnx__Not.html
var Not = &op.Op{
	Name:    "Not",
	Since:   []int{1},
	Inputs:  []op.Port{{Name: "X", Types: elem.Bools}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   op.InferSame,
	Lower:   op.Unary("Not"),
	InPlace: true,
	Stops:   op.StopBools,
}
