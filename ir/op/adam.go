package op

import "github.com/bbgen/bbgen/runtime/tensor"

// Adam is one step of the optimizer Adam for a list of parameters.
//
// https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Adam.html
var Adam = &Op{
	Name:   "Adam",
	Domain: training,
	Since:  []int{1},
	Attrs: []Attr{
		{Name: "alpha", Kind: Float, Default: 0.9},
		{Name: "beta", Kind: Float, Default: 0.999},
		{Name: "epsilon", Kind: Float, Default: 1e-6},
		{Name: "norm_coefficient", Kind: Float, Default: 0.0},
		{Name: "norm_coefficient_post", Kind: Float, Default: 0.0},
	},
	Inputs:  []Port{{Name: "R", Types: floats}, {Name: "T", Types: int64s}, {Name: "inputs", Types: floats, Variadic: true, Mixed: true, Min: 1}},
	Outputs: []Port{{Name: "outputs", Types: elems(tensor.Float32, tensor.Float64), Variadic: true, Mixed: true, Min: 1}},
	Infer:   adam.infer,
	Lower:   adam.lower,
	Stops:   updates,
}

var adam = optimizer{
	kernel:  "Adam",
	moments: 2,
	fields:  []Field{{"Alpha", 0.9}, {"Beta", 0.999}, {"Epsilon", 1e-6}, {"Norm", 0.0}, {"NormPost", 0.0}},
	attrs:   []string{"alpha", "beta", "epsilon", "norm_coefficient", "norm_coefficient_post"},
}
