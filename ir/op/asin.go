package op

// Asin is the angle whose sine is x, NaN outside -1 to 1.
//
// https://onnx.ai/onnx/operators/onnx__Asin.html
var Asin = &Op{
	Name:    "Asin",
	Since:   []int{7, 22},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   unary("Asin"),
	InPlace: true,
	Widen:   true,
}
