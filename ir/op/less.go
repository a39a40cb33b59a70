package op

// Less is a < b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Less.html
var Less = &Op{
	Name:    "Less",
	Since:   []int{1, 7, 9, 13},
	In:      Two,
	Out:     One,
	Infer:   compareOf(numbers),
	Upgrade: upgradeBroadcast,
	Grad:    ZeroGrad,
	Lower:   binary("Less"),
	Widen:   true,

	Broadcasts: true,
}
