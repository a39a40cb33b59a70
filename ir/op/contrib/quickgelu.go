package contrib

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// QuickGelu is x·σ(α·x).
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QuickGelu
var QuickGelu = &op.Op{
	Name:    "QuickGelu",
	Domain:  op.Microsoft,
	Since:   []int{1},
	Attrs:   []op.Attr{{Name: "alpha", Kind: op.Float, Default: 1.702}},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Expand:  one(quickGelu),
}

// quickGelu is x·σ(α·x).
func quickGelu(b *ir.Builder, n *ir.Node) *ir.Value {
	x := n.In[op.X]
	return b.Op("Mul", x, b.Op("Sigmoid", b.Op("Mul", x, op.ScalarLike(b, x, n.Float("alpha")))))
}
