package op

// Adagrad is one step of the optimizer Adagrad for a list of parameters.
//
// https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Adagrad.html
var Adagrad = &Op{
	Name:   "Adagrad",
	Domain: training,
	Since:  []int{1},
	In:     Arity{5, Any},
	Out:    Arity{1, Any},
	Infer:  adagrad.infer,
	Lower:  adagrad.lower,
	Stops:  updates,
}

var adagrad = optimizer{
	kernel:  "Adagrad",
	moments: 1,
	fields:  []Field{{"Epsilon", 1e-6}, {"Decay", 0.0}, {"Norm", 0.0}},
	attrs:   []string{"epsilon", "decay_factor", "norm_coefficient"},
}
