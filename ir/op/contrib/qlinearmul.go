package contrib

import "github.com/bbgen/bbgen/ir/op"

// QLinearMul is Mul of bytes, each operand with a scale of its own.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearMul
var QLinearMul = &op.Op{
	Name:    "QLinearMul",
	Domain:  op.Microsoft,
	Since:   []int{1},
	Inputs:  quantizedOperands,
	Outputs: []op.Port{{Name: "C", Like: "A"}},
	Expand:  quantizedBinary("Mul"),
}
