package signal

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// HammingWindow is a raised cosine that does not end at zero.
//
// https://onnx.ai/onnx/operators/onnx__HammingWindow.html
var HammingWindow = &op.Op{
	Name:  "HammingWindow",
	Since: []int{17},
	Attrs: []op.Attr{
		{Name: "output_datatype", Kind: op.Int, Default: 1},
		{Name: "periodic", Kind: op.Int, Default: 1},
	},
	Inputs:  []op.Port{{Name: "size", Types: elem.Indices}},
	Outputs: []op.Port{{Name: "output", Types: elem.Numbers}},
	Infer:   inferWindow,
	Lower:   cosineWindow(25.0/46, 21.0/46, 0),
	Expand:  expandOutput,
	Expands: smallOutput,
	Stops:   op.StopNoInputs,
}
