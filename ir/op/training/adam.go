package training

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Adam is one step of the optimizer Adam for a list of parameters.
//
// https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Adam.html
var Adam = &op.Op{
	Name:   "Adam",
	Domain: training,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "alpha", Kind: op.Float, Default: 0.9},
		{Name: "beta", Kind: op.Float, Default: 0.999},
		{Name: "epsilon", Kind: op.Float, Default: 1e-6},
		{Name: "norm_coefficient", Kind: op.Float, Default: 0.0},
		{Name: "norm_coefficient_post", Kind: op.Float, Default: 0.0},
	},
	Inputs: []op.Port{
		optimizerR:      {Name: "R", Types: elem.Floats},
		optimizerT:      {Name: "T", Types: elem.Int64s},
		optimizerInputs: {Name: "inputs", Types: elem.Floats, Variadic: true, Mixed: true, Min: 1},
	},
	Outputs: []op.Port{{Name: "outputs", Types: elem.Of(tensor.Float32, tensor.Float64), Variadic: true, Mixed: true, Min: 1}},
	Infer:   adam.infer,
	Lower:   adam.lower,
	Stops:   op.StopUpdates,
}

var adam = optimizer{
	kernel:  "Adam",
	moments: []string{"V", "H"},
	fields:  []op.Field{{Name: "Alpha", Value: 0.9}, {Name: "Beta", Value: 0.999}, {Name: "Epsilon", Value: 1e-6}, {Name: "Norm", Value: 0.0}, {Name: "NormPost", Value: 0.0}},
	attrs:   []string{"alpha", "beta", "epsilon", "norm_coefficient", "norm_coefficient_post"},
}
