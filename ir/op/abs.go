package op

// Abs is |x|. The smallest integer has no positive counterpart and stays.
//
// https://onnx.ai/onnx/operators/onnx__Abs.html
var Abs = &Op{
	Name:    "Abs",
	Since:   []int{1, 6, 13},
	In:      One,
	Out:     One,
	Infer:   sameAs(numbers),
	Lower:   unary("Abs"),
	InPlace: true,
	Widen:   true,
}
