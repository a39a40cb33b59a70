package op

// Cos is the cosine of x.
//
// https://onnx.ai/onnx/operators/onnx__Cos.html
var Cos = &Op{
	Name:    "Cos",
	Since:   []int{7, 22},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   unary("Cos"),
	InPlace: true,
	Widen:   true,
}
