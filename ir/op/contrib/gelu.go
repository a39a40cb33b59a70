package contrib

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Gelu is ONNX's operator of the same name.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.Gelu
var Gelu = &op.Op{
	Name:    "Gelu",
	Domain:  op.Microsoft,
	Since:   []int{1},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Expand:  one(func(b *ir.Builder, n *ir.Node) *ir.Value { return b.Op("Gelu", n.In[op.X]) }),
}
