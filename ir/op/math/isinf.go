package math

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// IsInf reports which elements are infinite, for the selected signs.
//
// https://onnx.ai/onnx/operators/onnx__IsInf.html
var IsInf = &op.Op{
	Name:  "IsInf",
	Since: []int{10, 20},
	Attrs: []op.Attr{
		{Name: "detect_negative", Kind: op.Int, Default: 1},
		{Name: "detect_positive", Kind: op.Int, Default: 1},
	},
	Inputs:  []op.Port{{Name: "X", Types: elem.FloatsOr8}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Bools}},
	Infer:   op.InferBool,
	Grad:    op.ZeroGrad,
	Lower:   lowerIsInf,
	Widen:   true,
}

func lowerIsInf(l *op.Lowering) error {
	l.Each("IsInf", l.Out[0], l.In[op.X], l.Int("detect_positive") != 0, l.Int("detect_negative") != 0)
	return nil
}
