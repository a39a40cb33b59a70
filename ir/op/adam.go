package op

// Adam is one step of the optimizer Adam for a list of parameters.
//
// https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Adam.html
var Adam = &Op{
	Name:   "Adam",
	Domain: training,
	Since:  []int{1},
	In:     Arity{6, Any},
	Out:    Arity{1, Any},
	Infer:  adam.infer,
	Lower:  adam.lower,
	Stops:  updates,
}

var adam = optimizer{
	kernel:  "Adam",
	moments: 2,
	fields:  []Field{{"Alpha", 0.9}, {"Beta", 0.999}, {"Epsilon", 1e-6}, {"Norm", 0.0}, {"NormPost", 0.0}},
	attrs:   []string{"alpha", "beta", "epsilon", "norm_coefficient", "norm_coefficient_post"},
}
