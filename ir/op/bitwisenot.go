package op

// BitwiseNot is the bits of x flipped.
//
// https://onnx.ai/onnx/operators/onnx__BitwiseNot.html
var BitwiseNot = &Op{
	Name:    "BitwiseNot",
	Since:   []int{18},
	Inputs:  []Port{{Name: "X", Types: integers}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferSame,
	Lower:   unary("BitwiseNot"),
	InPlace: true,
	Stops:   fromIntegers,
}
