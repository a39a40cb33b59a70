package op

// IsNaN reports which elements are not a number.
//
// https://onnx.ai/onnx/operators/onnx__IsNaN.html
var IsNaN = &Op{
	Name:    "IsNaN",
	Since:   []int{9, 13, 20},
	Inputs:  []Port{{Name: "X", Types: floatsOr8}},
	Outputs: []Port{{Name: "Y", Types: bools}},
	Infer:   inferBool,
	Grad:    ZeroGrad,
	Lower:   unary("IsNaN"),
	Widen:   true,
}
