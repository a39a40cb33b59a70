package op

// Sqrt is √x, NaN below 0.
//
// https://onnx.ai/onnx/operators/onnx__Sqrt.html
var Sqrt = &Op{
	Name:    "Sqrt",
	Since:   []int{1, 6, 13},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   unary("Sqrt"),
	InPlace: true,
	Widen:   true,
}
