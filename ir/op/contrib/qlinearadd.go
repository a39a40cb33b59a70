package contrib

import "github.com/bbgen/bbgen/ir/op"

// QLinearAdd is Add of bytes, each operand with a scale of its own.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearAdd
var QLinearAdd = &op.Op{
	Name:    "QLinearAdd",
	Domain:  op.Microsoft,
	Since:   []int{1},
	Inputs:  quantizedOperands,
	Outputs: []op.Port{{Name: "C", Like: "A"}},
	Expand:  quantizedBinary("Add"),
}
