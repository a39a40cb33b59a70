package random

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// RandomNormalLike is [RandomNormal] in the shape of its input.
//
// https://onnx.ai/onnx/operators/onnx__RandomNormalLike.html
var RandomNormalLike = &op.Op{
	Name:  "RandomNormalLike",
	Since: []int{1, 22},
	Attrs: []op.Attr{
		{Name: "dtype", Kind: op.Int},
		{Name: "mean", Kind: op.Float, Default: 0.0},
		{Name: "scale", Kind: op.Float, Default: 1.0},
		{Name: "seed", Kind: op.Float},
		{Name: "counter", Kind: op.String, Own: true},
	},
	Inputs:  []op.Port{{Name: "input", Types: elem.Any}},
	Outputs: []op.Port{{Name: "output", Types: elem.Floats}},
	Infer:   inferRandomLike,
	Grad:    op.ZeroGrad,
	Lower:   lowerRandomNormal,
	Expand:  randomInFloat32,
	Expands: smallResult,
	Random:  true,
}
