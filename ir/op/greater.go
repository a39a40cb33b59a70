package op

// Greater is a > b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Greater.html
var Greater = &Op{
	Name:    "Greater",
	Since:   []int{1, 7, 9, 13},
	In:      Two,
	Out:     One,
	Infer:   compareOf(numbers),
	Upgrade: upgradeBroadcast,
	Grad:    ZeroGrad,
	Lower:   binary("Greater"),
	Widen:   true,

	Broadcasts: true,
}
