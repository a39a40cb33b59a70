package op

// Floor is x rounded down.
//
// https://onnx.ai/onnx/operators/onnx__Floor.html
var Floor = &Op{
	Name:    "Floor",
	Since:   []int{1, 6, 13},
	Attrs:   []Attr{{Name: "consumed_inputs", Kind: Ints, Until: 6}},
	Inputs:  []Port{{Name: "X", Types: floats}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferSame,
	Grad:    ZeroGrad,
	Lower:   unary("Floor"),
	InPlace: true,
	Widen:   true,

	Pointwise: everyNode,
}
