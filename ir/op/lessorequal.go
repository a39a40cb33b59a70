package op

// LessOrEqual is a <= b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__LessOrEqual.html
var LessOrEqual = &Op{
	Name:  "LessOrEqual",
	Since: []int{12, 16},
	In:    Two,
	Out:   One,
	Infer: compareOf(numbers),
	Grad:  ZeroGrad,
	Lower: binary("LessOrEqual"),
	Widen: true,

	Broadcasts: true,
}
