package contrib

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// BiasGelu is Gelu of the sum of its inputs.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.BiasGelu
var BiasGelu = &op.Op{
	Name:    "BiasGelu",
	Domain:  op.Microsoft,
	Since:   []int{1},
	Inputs:  []op.Port{{Name: "A", Types: elem.Floats}, {Name: "B", Like: "A"}},
	Outputs: []op.Port{{Name: "C", Like: "A"}},
	Expand:  one(func(b *ir.Builder, n *ir.Node) *ir.Value { return b.Op("Gelu", plus(b, n.In...)) }),
}
