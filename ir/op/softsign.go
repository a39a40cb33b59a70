package op

// Softsign is x/(1+|x|).
//
// https://onnx.ai/onnx/operators/onnx__Softsign.html
var Softsign = &Op{
	Name:    "Softsign",
	Since:   []int{1, 22},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   unary("Softsign"),
	InPlace: true,
	Widen:   true,
}
