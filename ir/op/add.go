package op

import "github.com/bbgen/bbgen/ir"

// Add is a + b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Add.html
var Add = &Op{
	Name:    "Add",
	Since:   []int{1, 6, 7, 13, 14},
	In:      Two,
	Out:     One,
	Infer:   foldBinary(numbers, ir.Dim.Add),
	Upgrade: upgradeBroadcast,
	Lower:   binary("Add"),
	InPlace: true,
	Widen:   true,
}
