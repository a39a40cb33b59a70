package op

// Relu is max(x, 0).
//
// https://onnx.ai/onnx/operators/onnx__Relu.html
var Relu = &Op{
	Name:    "Relu",
	Since:   []int{1, 6, 13, 14},
	In:      One,
	Out:     One,
	Infer:   (*Infer).Same,
	Lower:   unary("Relu"),
	InPlace: true,
	Act:     plain("Relu"),
	Widen:   true,
}
