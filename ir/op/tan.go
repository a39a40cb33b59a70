package op

// Tan is the tangent of x.
//
// https://onnx.ai/onnx/operators/onnx__Tan.html
var Tan = &Op{
	Name:    "Tan",
	Since:   []int{7, 22},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   unary("Tan"),
	InPlace: true,
	Widen:   true,
}
