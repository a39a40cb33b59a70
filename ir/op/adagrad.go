package op

import "github.com/bbgen/bbgen/runtime/tensor"

// Adagrad is one step of the optimizer Adagrad for a list of parameters.
//
// https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Adagrad.html
var Adagrad = &Op{
	Name:   "Adagrad",
	Domain: training,
	Since:  []int{1},
	Attrs: []Attr{
		{Name: "decay_factor", Kind: Float, Default: 0.0},
		{Name: "epsilon", Kind: Float, Default: 1e-6},
		{Name: "norm_coefficient", Kind: Float, Default: 0.0},
	},
	Inputs:  []Port{{Name: "R", Types: floats}, {Name: "T", Types: int64s}, {Name: "inputs", Types: floats, Variadic: true, Mixed: true, Min: 1}},
	Outputs: []Port{{Name: "outputs", Types: elems(tensor.Float32, tensor.Float64), Variadic: true, Mixed: true, Min: 1}},
	Infer:   adagrad.infer,
	Lower:   adagrad.lower,
	Stops:   updates,
}

var adagrad = optimizer{
	kernel:  "Adagrad",
	moments: 1,
	fields:  []Field{{"Epsilon", 1e-6}, {"Decay", 0.0}, {"Norm", 0.0}},
	attrs:   []string{"epsilon", "decay_factor", "norm_coefficient"},
}
