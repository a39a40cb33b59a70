package op

// Sinh is (eˣ-e⁻ˣ)/2.
//
// https://onnx.ai/onnx/operators/onnx__Sinh.html
var Sinh = &Op{
	Name:    "Sinh",
	Since:   []int{9, 22},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   unary("Sinh"),
	InPlace: true,
	Widen:   true,
}
