package signal

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// BlackmanWindow is a sum of two cosines, with small side lobes.
//
// https://onnx.ai/onnx/operators/onnx__BlackmanWindow.html
var BlackmanWindow = &op.Op{
	Name:  "BlackmanWindow",
	Since: []int{17},
	Attrs: []op.Attr{
		{Name: "output_datatype", Kind: op.Int, Default: 1},
		{Name: "periodic", Kind: op.Int, Default: 1},
	},
	Inputs:  []op.Port{{Name: "size", Types: elem.Indices}},
	Outputs: []op.Port{{Name: "output", Types: elem.Numbers}},
	Infer:   inferWindow,
	Lower:   cosineWindow(0.42, 0.5, 0.08),
	Expand:  expandOutput,
	Expands: smallOutput,
	Stops:   op.StopNoInputs,
}
