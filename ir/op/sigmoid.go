package op

// Sigmoid is 1/(1+e⁻ˣ).
//
// https://onnx.ai/onnx/operators/onnx__Sigmoid.html
var Sigmoid = &Op{
	Name:    "Sigmoid",
	Since:   []int{1, 6, 13},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   unary("Sigmoid"),
	InPlace: true,
	Act:     plain("Sigmoid"),
	Widen:   true,
}
