package training

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [Adagrad], [Adam] and [Momentum].
const (
	optimizerR = iota
	optimizerT
	optimizerInputs
)

// Adagrad is one step of the optimizer Adagrad for a list of parameters.
//
// https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Adagrad.html
var Adagrad = &op.Op{
	Name:   "Adagrad",
	Domain: training,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "decay_factor", Kind: op.Float, Default: 0.0},
		{Name: "epsilon", Kind: op.Float, Default: 1e-6},
		{Name: "norm_coefficient", Kind: op.Float, Default: 0.0},
	},
	Inputs: []op.Port{
		optimizerR:      {Name: "R", Types: elem.Floats},
		optimizerT:      {Name: "T", Types: elem.Int64s},
		optimizerInputs: {Name: "inputs", Types: elem.Floats, Variadic: true, Mixed: true, Min: 1},
	},
	Outputs: []op.Port{{Name: "outputs", Types: elem.Of(tensor.Float32, tensor.Float64), Variadic: true, Mixed: true, Min: 1}},
	Infer:   adagrad.infer,
	Lower:   adagrad.lower,
	Stops:   op.StopUpdates,
}

var adagrad = optimizer{
	kernel:  "Adagrad",
	moments: []string{"H"},
	fields:  []op.Field{{Name: "Epsilon", Value: 1e-6}, {Name: "Decay", Value: 0.0}, {Name: "Norm", Value: 0.0}},
	attrs:   []string{"epsilon", "decay_factor", "norm_coefficient"},
}
