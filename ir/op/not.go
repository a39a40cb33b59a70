package op

// Not is !x.
//
// https://onnx.ai/onnx/operators/onnx__Not.html
var Not = &Op{
	Name:    "Not",
	Since:   []int{1},
	Inputs:  []Port{{Name: "X", Types: bools}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferSame,
	Lower:   unary("Not"),
	InPlace: true,
	Stops:   onBools,
}
