package contrib

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [ExpandDims].
const (
	expandDimsX = iota
	expandDimsAxis
)

// ExpandDims is ONNX's Unsqueeze with one axis.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.ExpandDims
var ExpandDims = &op.Op{
	Name:    "ExpandDims",
	Domain:  op.Microsoft,
	Since:   []int{1},
	Inputs:  []op.Port{expandDimsX: {Name: "X", Types: elem.Any}, expandDimsAxis: {Name: "axis", Types: elem.Indices}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Expand: one(func(b *ir.Builder, n *ir.Node) *ir.Value {
		return b.Op("Unsqueeze", n.In[expandDimsX], b.Op("Reshape", op.Cast(b, n.In[expandDimsAxis], tensor.Int64), b.Ints(1)))
	}),
}
