package op

// Floor is x rounded down.
//
// https://onnx.ai/onnx/operators/onnx__Floor.html
var Floor = &Op{
	Name:    "Floor",
	Since:   []int{1, 6, 13},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Grad:    ZeroGrad,
	Lower:   unary("Floor"),
	InPlace: true,
	Widen:   true,
}
