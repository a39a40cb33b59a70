package activation

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Hardmax is 1 at the first largest element along an axis, and 0 elsewhere.
//
// https://onnx.ai/onnx/operators/onnx__Hardmax.html
var Hardmax = &op.Op{
	Name:  "Hardmax",
	Since: []int{1, 11, 13},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Default: 1, Until: 13},
		{Name: "axis", Kind: op.Int, Default: -1, Since: 13},
		{Name: "flat", Kind: op.Int, Default: 0, Own: true},
	},
	Inputs:  []op.Port{{Name: "input", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   inferSoftmax,
	Upgrade: upgradeSoftmax,
	Grad:    op.ZeroGrad,
	Lower:   lowerSoftmax("Hardmax"),
	Widen:   true,
}
