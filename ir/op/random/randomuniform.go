package random

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// RandomUniform draws numbers from low to high with equal probability.
//
// https://onnx.ai/onnx/operators/onnx__RandomUniform.html
var RandomUniform = &op.Op{
	Name:  "RandomUniform",
	Since: []int{1, 22},
	Attrs: []op.Attr{
		{Name: "dtype", Kind: op.Int, Default: 1},
		{Name: "high", Kind: op.Float, Default: 1.0},
		{Name: "low", Kind: op.Float, Default: 0.0},
		{Name: "seed", Kind: op.Float},
		{Name: "shape", Kind: op.Ints, Required: true},
		{Name: "counter", Kind: op.String, Own: true},
	},
	Outputs: []op.Port{{Name: "output", Types: elem.Floats}},
	Infer:   inferRandom,
	Lower:   lowerRandomUniform,
	Expand:  uniformInFloat32,
	Expands: smallResult,
	Random:  true,
	Stops:   op.StopNoInputs,
}
