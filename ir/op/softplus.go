package op

// Softplus is log(1+eˣ).
//
// https://onnx.ai/onnx/operators/onnx__Softplus.html
var Softplus = &Op{
	Name:    "Softplus",
	Since:   []int{1, 22},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   unary("Softplus"),
	InPlace: true,
	Widen:   true,
}
