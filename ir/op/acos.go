package op

// Acos is the angle whose cosine is x, NaN outside -1 to 1.
//
// https://onnx.ai/onnx/operators/onnx__Acos.html
var Acos = &Op{
	Name:    "Acos",
	Since:   []int{7, 22},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   unary("Acos"),
	InPlace: true,
	Widen:   true,
}
