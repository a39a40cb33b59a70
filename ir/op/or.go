package op

// Or is a || b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Or.html
var Or = &Op{
	Name:    "Or",
	Since:   []int{1, 7},
	In:      Two,
	Out:     One,
	Infer:   binaryOf(bools),
	Upgrade: upgradeBroadcast,
	Lower:   binary("Or"),
	InPlace: true,
	Stops:   truths,

	Broadcasts: true,
}
