package op

// Asinh is the inverse of sinh.
//
// https://onnx.ai/onnx/operators/onnx__Asinh.html
var Asinh = &Op{
	Name:    "Asinh",
	Since:   []int{9, 22},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   unary("Asinh"),
	InPlace: true,
	Widen:   true,
}
