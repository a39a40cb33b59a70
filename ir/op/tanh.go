package op

// Tanh is the hyperbolic tangent.
//
// https://onnx.ai/onnx/operators/onnx__Tanh.html
var Tanh = &Op{
	Name:    "Tanh",
	Since:   []int{1, 6, 13},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   unary("Tanh"),
	InPlace: true,
	Act:     plain("Tanh"),
	Widen:   true,
}
