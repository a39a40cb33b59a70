package signal

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// HannWindow is a raised cosine.
//
// https://onnx.ai/onnx/operators/onnx__HannWindow.html
var HannWindow = &op.Op{
	Name:  "HannWindow",
	Since: []int{17},
	Attrs: []op.Attr{
		{Name: "output_datatype", Kind: op.Int, Default: 1},
		{Name: "periodic", Kind: op.Int, Default: 1},
	},
	Inputs:  []op.Port{{Name: "size", Types: elem.Indices}},
	Outputs: []op.Port{{Name: "output", Types: elem.Numbers}},
	Infer:   inferWindow,
	Lower:   cosineWindow(0.5, 0.5, 0),
	Expand:  expandOutput,
	Expands: smallOutput,
	Stops:   op.StopNoInputs,
}
