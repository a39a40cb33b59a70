package op

// Cosh is (eˣ+e⁻ˣ)/2.
//
// https://onnx.ai/onnx/operators/onnx__Cosh.html
var Cosh = &Op{
	Name:    "Cosh",
	Since:   []int{9, 22},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   unary("Cosh"),
	InPlace: true,
	Widen:   true,
}
