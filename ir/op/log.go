package op

// Log is the natural logarithm.
//
// https://onnx.ai/onnx/operators/onnx__Log.html
var Log = &Op{
	Name:    "Log",
	Since:   []int{1, 6, 13},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   unary("Log"),
	InPlace: true,
	Widen:   true,
}
