package op

// LessOrEqual is a <= b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__LessOrEqual.html
var LessOrEqual = &Op{
	Name:    "LessOrEqual",
	Since:   []int{12, 16},
	Inputs:  []Port{{Name: "A", Types: numbers}, {Name: "B", Like: "A"}},
	Outputs: []Port{{Name: "C", Types: bools}},
	Infer:   inferCompare,
	Grad:    ZeroGrad,
	Lower:   binary("LessOrEqual"),
	Widen:   true,

	Broadcasts: true,
}
