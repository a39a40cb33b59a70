package training

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Momentum is one step of gradient descent with momentum, Nesterov's included,
// for a list of parameters.
//
// https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Momentum.html
var Momentum = &op.Op{
	Name:   "Momentum",
	Domain: training,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "alpha", Kind: op.Float, Required: true},
		{Name: "beta", Kind: op.Float, Required: true},
		{Name: "mode", Kind: op.String, Values: []string{"standard", "nesterov"}, Required: true},
		{Name: "norm_coefficient", Kind: op.Float, Required: true},
	},
	Inputs: []op.Port{
		optimizerR:      {Name: "R", Types: elem.Floats},
		optimizerT:      {Name: "T", Types: elem.Int64s},
		optimizerInputs: {Name: "inputs", Types: elem.Floats, Variadic: true, Mixed: true, Min: 1},
	},
	Outputs: []op.Port{{Name: "outputs", Types: elem.Of(tensor.Float32, tensor.Float64), Variadic: true, Mixed: true, Min: 1}},
	Infer:   inferMomentum,
	Lower:   momentum.lower,
	Stops:   op.StopUpdates,
}

var momentum = optimizer{
	kernel:  "Momentum",
	moments: []string{"V"},
	fields:  []op.Field{{Name: "Alpha", Value: 0.0}, {Name: "Beta", Value: 1.0}, {Name: "Norm", Value: 0.0}},
	attrs:   []string{"alpha", "beta", "norm_coefficient"},
}

func inferMomentum(c *op.Infer) error {
	return momentum.infer(c)
}
