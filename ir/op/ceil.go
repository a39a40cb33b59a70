package op

// Ceil is x rounded up.
//
// https://onnx.ai/onnx/operators/onnx__Ceil.html
var Ceil = &Op{
	Name:    "Ceil",
	Since:   []int{1, 6, 13},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Grad:    ZeroGrad,
	Lower:   unary("Ceil"),
	InPlace: true,
	Widen:   true,
}
