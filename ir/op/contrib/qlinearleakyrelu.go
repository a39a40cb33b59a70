package contrib

import "github.com/bbgen/bbgen/ir/op"

// QLinearLeakyRelu is LeakyRelu of bytes.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearLeakyRelu
var QLinearLeakyRelu = &op.Op{
	Name:    "QLinearLeakyRelu",
	Domain:  op.Microsoft,
	Since:   []int{1},
	Attrs:   []op.Attr{{Name: "alpha", Kind: op.Float, Default: 0.01}},
	Inputs:  quantizedOperand,
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Expand:  quantizedUnary("LeakyRelu", "alpha"),
}
