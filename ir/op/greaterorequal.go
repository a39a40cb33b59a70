package op

// GreaterOrEqual is a >= b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__GreaterOrEqual.html
var GreaterOrEqual = &Op{
	Name:    "GreaterOrEqual",
	Since:   []int{12, 16},
	Inputs:  []Port{{Name: "A", Types: numbers}, {Name: "B", Like: "A"}},
	Outputs: []Port{{Name: "C", Types: bools}},
	Infer:   inferCompare,
	Grad:    ZeroGrad,
	Lower:   binary("GreaterOrEqual"),
	Widen:   true,

	Broadcasts: true,
}
