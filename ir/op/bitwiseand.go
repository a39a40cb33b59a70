package op

// BitwiseAnd is a & b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__BitwiseAnd.html
var BitwiseAnd = &Op{
	Name:    "BitwiseAnd",
	Since:   []int{18},
	Inputs:  []Port{{Name: "A", Types: integers}, {Name: "B", Like: "A"}},
	Outputs: []Port{{Name: "C", Like: "A"}},
	Infer:   inferBinary,
	Lower:   binary("BitwiseAnd"),
	InPlace: true,
	Stops:   fromIntegers,

	Broadcasts: true,
}
