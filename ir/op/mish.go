package op

// Mish is x·tanh(log(1+eˣ)).
//
// https://onnx.ai/onnx/operators/onnx__Mish.html
var Mish = &Op{
	Name:    "Mish",
	Since:   []int{18, 22},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   unary("Mish"),
	InPlace: true,
	Widen:   true,
}
