package op

// GreaterOrEqual is a >= b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__GreaterOrEqual.html
var GreaterOrEqual = &Op{
	Name:  "GreaterOrEqual",
	Since: []int{12, 16},
	In:    Two,
	Out:   One,
	Infer: compareOf(numbers),
	Grad:  ZeroGrad,
	Lower: binary("GreaterOrEqual"),
	Widen: true,

	Broadcasts: true,
}
