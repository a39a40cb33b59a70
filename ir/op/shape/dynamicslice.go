package shape

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// DynamicSlice is an experimental predecessor of Slice with inputs as operands, which some files still use.
//
// https://onnx.ai/onnx/operators/onnx__Slice.html
var DynamicSlice = &op.Op{
	Name:  "DynamicSlice",
	Since: []int{1},
	Inputs: []op.Port{
		{Name: "data", Types: elem.Any},
		{Name: "starts", Types: elem.Indices},
		{Name: "ends", Like: "starts"},
		{Name: "axes", Like: "starts", Optional: true},
	},
	Outputs: []op.Port{{Name: "output", Like: "data"}},
	Infer:   inferSlice,
	Grad:    sliceGrad,
	Lower:   lowerSlice,
	Bytes:   pickedBytes,
}
