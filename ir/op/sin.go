package op

// Sin is the sine of x.
//
// https://onnx.ai/onnx/operators/onnx__Sin.html
var Sin = &Op{
	Name:    "Sin",
	Since:   []int{7, 22},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   unary("Sin"),
	InPlace: true,
	Widen:   true,
}
