package op

// Xor is a != b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Xor.html
var Xor = &Op{
	Name:    "Xor",
	Since:   []int{1, 7},
	In:      Two,
	Out:     One,
	Infer:   binaryOf(bools),
	Upgrade: upgradeBroadcast,
	Lower:   binary("Xor"),
	InPlace: true,
	Stops:   truths,

	Broadcasts: true,
}
