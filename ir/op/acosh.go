package op

// Acosh is the inverse of cosh, NaN below 1.
//
// https://onnx.ai/onnx/operators/onnx__Acosh.html
var Acosh = &Op{
	Name:    "Acosh",
	Since:   []int{9, 22},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   unary("Acosh"),
	InPlace: true,
	Widen:   true,
}
