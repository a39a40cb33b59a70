package op

import "github.com/bbgen/bbgen/runtime/tensor"

// Momentum is one step of gradient descent with momentum, Nesterov's included,
// for a list of parameters.
//
// https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Momentum.html
var Momentum = &Op{
	Name:   "Momentum",
	Domain: training,
	Since:  []int{1},
	Attrs: []Attr{
		{Name: "alpha", Kind: Float, Required: true},
		{Name: "beta", Kind: Float, Required: true},
		{Name: "mode", Kind: String, Values: []string{"standard", "nesterov"}, Required: true},
		{Name: "norm_coefficient", Kind: Float, Required: true},
	},
	Inputs:  []Port{{Name: "R", Types: floats}, {Name: "T", Types: int64s}, {Name: "inputs", Types: floats, Variadic: true, Mixed: true, Min: 1}},
	Outputs: []Port{{Name: "outputs", Types: elems(tensor.Float32, tensor.Float64), Variadic: true, Mixed: true, Min: 1}},
	Infer:   inferMomentum,
	Lower:   momentum.lower,
	Stops:   updates,
}

var momentum = optimizer{
	kernel:  "Momentum",
	moments: 1,
	fields:  []Field{{"Alpha", 0.0}, {"Beta", 1.0}, {"Norm", 0.0}},
	attrs:   []string{"alpha", "beta", "norm_coefficient"},
}

func inferMomentum(c *Infer) error {
	return momentum.infer(c)
}
