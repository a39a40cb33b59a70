package contrib

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// QuantizeLinear is ONNX's operator of the same name.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QuantizeLinear
var QuantizeLinear = &op.Op{
	Name:   "QuantizeLinear",
	Domain: op.Microsoft,
	Since:  []int{1},
	Attrs:  []op.Attr{{Name: "axis", Kind: op.Int}},
	Inputs: []op.Port{
		{Name: "x", Types: elem.Floats},
		{Name: "y_scale", Like: "x"},
		{Name: "y_zero_point", Types: elem.Of(tensor.Uint8, tensor.Int8, tensor.Uint16, tensor.Int16, tensor.Uint4, tensor.Int4), Optional: true},
	},
	Outputs: []op.Port{{Name: "y", Like: "y_zero_point"}},
	Expand:  renamed("QuantizeLinear"),
}
