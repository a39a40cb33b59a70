package op

// Ceil is x rounded up.
//
// https://onnx.ai/onnx/operators/onnx__Ceil.html
var Ceil = &Op{
	Name:    "Ceil",
	Since:   []int{1, 6, 13},
	Attrs:   []Attr{{Name: "consumed_inputs", Kind: Ints, Until: 6}},
	Inputs:  []Port{{Name: "X", Types: floats}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferSame,
	Grad:    ZeroGrad,
	Lower:   unary("Ceil"),
	InPlace: true,
	Widen:   true,

	Pointwise: everyNode,
}
