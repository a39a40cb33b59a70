package op

// Sign is 1, 0 or -1: the sign of x.
//
// https://onnx.ai/onnx/operators/onnx__Sign.html
var Sign = &Op{
	Name:    "Sign",
	Since:   []int{9, 13},
	Inputs:  []Port{{Name: "input", Types: numbers}},
	Outputs: []Port{{Name: "output", Like: "input"}},
	Infer:   inferSame,
	Grad:    ZeroGrad,
	Lower:   unary("Sign"),
	InPlace: true,
	Widen:   true,

	Pointwise: everyNode,
}
