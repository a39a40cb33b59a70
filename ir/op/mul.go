package op

import "github.com/bbgen/bbgen/ir"

// Mul is a · b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Mul.html
var Mul = &Op{
	Name:    "Mul",
	Since:   []int{1, 6, 7, 13, 14},
	In:      Two,
	Out:     One,
	Infer:   foldBinary(numbers, ir.Dim.Mul),
	Upgrade: upgradeBroadcast,
	Lower:   binary("Mul"),
	InPlace: true,
	Widen:   true,
}
