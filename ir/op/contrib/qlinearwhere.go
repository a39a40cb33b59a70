package contrib

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [QLinearWhere].
const (
	qWhereCondition = iota
	qWhereX
	qWhereXScale
	qWhereXZeroPoint
	qWhereY
	qWhereYScale
	qWhereYZeroPoint
	qWhereZScale
	qWhereZZeroPoint
)

// QLinearWhere is Where of bytes, each operand with a scale of its own.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearWhere
var QLinearWhere = &op.Op{
	Name:   "QLinearWhere",
	Domain: op.Microsoft,
	Since:  []int{1},
	Inputs: []op.Port{
		qWhereCondition:  {Name: "condition", Types: elem.Bools},
		qWhereX:          {Name: "X", Types: elem.Bytes},
		qWhereXScale:     {Name: "x_scale", Types: elem.Floats},
		qWhereXZeroPoint: {Name: "x_zero_point", Like: "X"},
		qWhereY:          {Name: "Y", Like: "X"},
		qWhereYScale:     {Name: "y_scale", Like: "x_scale"},
		qWhereYZeroPoint: {Name: "y_zero_point", Like: "X"},
		qWhereZScale:     {Name: "z_scale", Like: "x_scale"},
		qWhereZZeroPoint: {Name: "z_zero_point", Like: "X"},
	},
	Outputs: []op.Port{{Name: "Z", Like: "X"}},
	Expand:  one(qLinearWhere),
}

func qLinearWhere(b *ir.Builder, n *ir.Node) *ir.Value {
	q := qnode{b, n}
	return q.quantized(b.Op("Where", n.In[qWhereCondition], q.dequantized(qWhereX), q.dequantized(qWhereY)), qWhereZScale)
}
