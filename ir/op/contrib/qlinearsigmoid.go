package contrib

import "github.com/bbgen/bbgen/ir/op"

// QLinearSigmoid is Sigmoid of bytes.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearSigmoid
var QLinearSigmoid = &op.Op{
	Name:    "QLinearSigmoid",
	Domain:  op.Microsoft,
	Since:   []int{1},
	Inputs:  quantizedOperand,
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Expand:  quantizedUnary("Sigmoid"),
}
