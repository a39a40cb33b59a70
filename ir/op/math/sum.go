package math

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Sum is the sum of its inputs with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Sum.html
var Sum = &op.Op{
	Name:    "Sum",
	Since:   []int{1, 6, 8, 13},
	Attrs:   []op.Attr{{Name: "consumed_inputs", Kind: op.Ints, Until: 6}},
	Inputs:  []op.Port{{Name: "data_0", Types: elem.Floats, Variadic: true, Min: 1}},
	Outputs: []op.Port{{Name: "sum", Like: "data_0"}},
	Infer:   op.InferBinary,
	Grad:    sumGrad,
	Lower:   op.Binary("Add"),
	Expand:  pairwise("Add"),
	Expands: notTwo,
	InPlace: true,
	Widen:   true,

	Broadcasts: true,
	Pointwise:  op.Always,
}
