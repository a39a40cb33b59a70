package op

// Reciprocal is 1/x.
//
// https://onnx.ai/onnx/operators/onnx__Reciprocal.html
var Reciprocal = &Op{
	Name:    "Reciprocal",
	Since:   []int{1, 6, 13},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   unary("Reciprocal"),
	InPlace: true,
	Widen:   true,
}
