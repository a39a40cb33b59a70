package op

// Not is !x.
//
// https://onnx.ai/onnx/operators/onnx__Not.html
var Not = &Op{
	Name:    "Not",
	Since:   []int{1},
	In:      One,
	Out:     One,
	Infer:   sameAs(bools),
	Lower:   unary("Not"),
	InPlace: true,
	Stops:   truths,
}
