package contrib

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// QLinearGlobalAveragePool is GlobalAveragePool of bytes. The channels are the second or the last axis.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearGlobalAveragePool
var QLinearGlobalAveragePool = &op.Op{
	Name:   "QLinearGlobalAveragePool",
	Domain: op.Microsoft,
	Since:  []int{1},
	Attrs:  []op.Attr{{Name: "channels_last", Kind: op.Int, Default: 0}},
	Inputs: []op.Port{
		{Name: "X", Types: elem.Bytes},
		{Name: "x_scale", Types: elem.Floats},
		{Name: "x_zero_point", Like: "X"},
		{Name: "y_scale", Types: elem.Floats},
		{Name: "y_zero_point", Like: "X"},
	},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Expand:  quantizedPool("GlobalAveragePool"),
}
