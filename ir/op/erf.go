package op

// Erf is the error function.
//
// https://onnx.ai/onnx/operators/onnx__Erf.html
var Erf = &Op{
	Name:    "Erf",
	Since:   []int{9, 13},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   unary("Erf"),
	InPlace: true,
	Widen:   true,
}
