package op

// Neg is -x.
//
// https://onnx.ai/onnx/operators/onnx__Neg.html
var Neg = &Op{
	Name:    "Neg",
	Since:   []int{1, 6, 13},
	In:      One,
	Out:     One,
	Infer:   sameAs(signed),
	Lower:   unary("Neg"),
	InPlace: true,
	Widen:   true,
}
