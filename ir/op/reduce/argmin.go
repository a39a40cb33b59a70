package reduce

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// ArgMin is the index of the smallest element along an axis: the first one, or
// the last.
//
// https://onnx.ai/onnx/operators/onnx__ArgMin.html
var ArgMin = &op.Op{
	Name:  "ArgMin",
	Since: []int{1, 11, 12, 13},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Default: 0},
		{Name: "keepdims", Kind: op.Int, Default: 1},
		{Name: "select_last_index", Kind: op.Int, Default: 0, Since: 12},
	},
	Inputs:  []op.Port{{Name: "data", Types: elem.Numbers}},
	Outputs: []op.Port{{Name: "reduced", Types: elem.Int64s}},
	Infer:   inferArg,
	Grad:    op.ZeroGrad,
	Lower:   lowerArg("ArgMin"),
	Widen:   true,
}
