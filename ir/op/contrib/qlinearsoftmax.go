package contrib

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// QLinearSoftmax is Softmax of bytes.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearSoftmax
var QLinearSoftmax = &op.Op{
	Name:   "QLinearSoftmax",
	Domain: op.Microsoft,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Default: -1},
		{Name: "opset", Kind: op.Int},
	},
	Inputs: []op.Port{
		{Name: "X", Types: elem.Bytes},
		{Name: "X_scale", Types: elem.Floats},
		{Name: "x_zero_point", Like: "X", Optional: true},
		{Name: "y_scale", Types: elem.Floats},
		{Name: "y_zero_point", Like: "X"},
	},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Expand:  quantizedUnary("Softmax", "axis"),
}
