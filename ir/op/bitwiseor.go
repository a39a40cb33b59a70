package op

// BitwiseOr is a | b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__BitwiseOr.html
var BitwiseOr = &Op{
	Name:    "BitwiseOr",
	Since:   []int{18},
	Inputs:  []Port{{Name: "A", Types: integers}, {Name: "B", Like: "A"}},
	Outputs: []Port{{Name: "C", Like: "A"}},
	Infer:   inferBinary,
	Lower:   binary("BitwiseOr"),
	InPlace: true,
	Stops:   fromIntegers,

	Broadcasts: true,
}
