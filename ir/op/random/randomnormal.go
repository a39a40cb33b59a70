package random

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// RandomNormal draws from a normal distribution.
//
// https://onnx.ai/onnx/operators/onnx__RandomNormal.html
var RandomNormal = &op.Op{
	Name:  "RandomNormal",
	Since: []int{1, 22},
	Attrs: []op.Attr{
		{Name: "dtype", Kind: op.Int, Default: 1},
		{Name: "mean", Kind: op.Float, Default: 0.0},
		{Name: "scale", Kind: op.Float, Default: 1.0},
		{Name: "seed", Kind: op.Float},
		{Name: "shape", Kind: op.Ints, Required: true},
		{Name: "counter", Kind: op.String, Own: true},
	},
	Outputs: []op.Port{{Name: "output", Types: elem.Floats}},
	Infer:   inferRandom,
	Lower:   lowerRandomNormal,
	Expand:  randomInFloat32,
	Expands: smallResult,
	Random:  true,
	Stops:   op.StopNoInputs,
}
