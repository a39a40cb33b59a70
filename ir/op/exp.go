package op

// Exp is eˣ.
//
// https://onnx.ai/onnx/operators/onnx__Exp.html
var Exp = &Op{
	Name:    "Exp",
	Since:   []int{1, 6, 13},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   unary("Exp"),
	InPlace: true,
	Widen:   true,
}
