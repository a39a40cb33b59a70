package op

// Round is x rounded to a whole number, halves to the even one.
//
// https://onnx.ai/onnx/operators/onnx__Round.html
var Round = &Op{
	Name:    "Round",
	Since:   []int{11, 22},
	Inputs:  []Port{{Name: "X", Types: floats}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferSame,
	Grad:    ZeroGrad,
	Lower:   unary("Round"),
	InPlace: true,
	Widen:   true,

	Pointwise: everyNode,
}
