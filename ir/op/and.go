package op

// And is a && b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__And.html
var And = &Op{
	Name:    "And",
	Since:   []int{1, 7},
	In:      Two,
	Out:     One,
	Infer:   binaryOf(bools),
	Upgrade: upgradeBroadcast,
	Lower:   binary("And"),
	InPlace: true,
	Stops:   truths,

	Broadcasts: true,
}
