package op

// BitwiseXor is a ^ b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__BitwiseXor.html
var BitwiseXor = &Op{
	Name:    "BitwiseXor",
	Since:   []int{18},
	Inputs:  []Port{{Name: "A", Types: integers}, {Name: "B", Like: "A"}},
	Outputs: []Port{{Name: "C", Like: "A"}},
	Infer:   inferBinary,
	Lower:   binary("BitwiseXor"),
	InPlace: true,
	Stops:   fromIntegers,

	Broadcasts: true,
}
