package contrib

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// DequantizeLinear is ONNX's operator of the same name.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.DequantizeLinear
var DequantizeLinear = &op.Op{
	Name:   "DequantizeLinear",
	Domain: op.Microsoft,
	Since:  []int{1},
	Attrs:  []op.Attr{{Name: "axis", Kind: op.Int}},
	Inputs: []op.Port{
		{Name: "x", Types: elem.Of(tensor.Uint8, tensor.Int8, tensor.Uint16, tensor.Int16, tensor.Int32, tensor.Uint4, tensor.Int4)},
		{Name: "x_scale", Types: elem.Floats},
		{Name: "x_zero_point", Like: "x", Optional: true},
	},
	Outputs: []op.Port{{Name: "y", Like: "x_scale"}},
	Expand:  renamed("DequantizeLinear"),
}
