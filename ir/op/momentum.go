package op

import "fmt"

// Momentum is one step of gradient descent with momentum, Nesterov's included,
// for a list of parameters.
//
// https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Momentum.html
var Momentum = &Op{
	Name:   "Momentum",
	Domain: training,
	Since:  []int{1},
	In:     Arity{5, Any},
	Out:    Arity{1, Any},
	Infer:  inferMomentum,
	Lower:  momentum.lower,
	Stops:  updates,
}

var momentum = optimizer{
	kernel:  "Momentum",
	moments: 1,
	fields:  []Field{{"Alpha", 0.0}, {"Beta", 1.0}, {"Norm", 0.0}},
	attrs:   []string{"alpha", "beta", "norm_coefficient"},
}

func inferMomentum(c *Infer) error {
	if m := c.Str("mode", ""); m != "standard" && m != "nesterov" {
		return fmt.Errorf("mode is %q, want standard or nesterov", m)
	}
	return momentum.infer(c)
}
