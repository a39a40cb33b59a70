package op

// Atan is the angle whose tangent is x.
//
// https://onnx.ai/onnx/operators/onnx__Atan.html
var Atan = &Op{
	Name:    "Atan",
	Since:   []int{7, 22},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Lower:   unary("Atan"),
	InPlace: true,
	Widen:   true,
}
