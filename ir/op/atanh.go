package op

// Atanh is the inverse of tanh, NaN outside -1 to 1.
//
// https://onnx.ai/onnx/operators/onnx__Atanh.html
var Atanh = &Op{
	Name:    "Atanh",
	Since:   []int{9, 22},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   unary("Atanh"),
	InPlace: true,
	Widen:   true,
}
