package random

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// RandomUniformLike is [RandomUniform] in the shape of its input.
//
// https://onnx.ai/onnx/operators/onnx__RandomUniformLike.html
var RandomUniformLike = &op.Op{
	Name:  "RandomUniformLike",
	Since: []int{1, 22},
	Attrs: []op.Attr{
		{Name: "dtype", Kind: op.Int},
		{Name: "high", Kind: op.Float, Default: 1.0},
		{Name: "low", Kind: op.Float, Default: 0.0},
		{Name: "seed", Kind: op.Float},
		{Name: "counter", Kind: op.String, Own: true},
	},
	Inputs:  []op.Port{{Name: "input", Types: elem.Any}},
	Outputs: []op.Port{{Name: "output", Types: elem.Floats}},
	Infer:   inferRandomLike,
	Grad:    op.ZeroGrad,
	Lower:   lowerRandomUniform,
	Expand:  uniformInFloat32,
	Expands: smallResult,
	Random:  true,
}
