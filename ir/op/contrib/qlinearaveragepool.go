package contrib

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// QLinearAveragePool is AveragePool of bytes. The channels are the second or the last axis.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearAveragePool
var QLinearAveragePool = &op.Op{
	Name:   "QLinearAveragePool",
	Domain: op.Microsoft,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "auto_pad", Kind: op.String, Default: "NOTSET", Values: op.AutoPads},
		{Name: "ceil_mode", Kind: op.Int, Default: 0},
		{Name: "channels_last", Kind: op.Int, Default: 0},
		{Name: "count_include_pad", Kind: op.Int, Default: 0},
		{Name: "kernel_shape", Kind: op.Ints, Required: true},
		{Name: "pads", Kind: op.Ints},
		{Name: "strides", Kind: op.Ints},
	},
	Inputs: []op.Port{
		{Name: "X", Types: elem.Bytes},
		{Name: "x_scale", Types: elem.Floats},
		{Name: "x_zero_point", Like: "X", Optional: true},
		{Name: "y_scale", Types: elem.Floats},
		{Name: "y_zero_point", Like: "X", Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Expand:  quantizedPool("AveragePool", "auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"),
}
