package contrib

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// FastGelu is the approximation of Gelu by tanh, of the sum with an optional bias.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.FastGelu
var FastGelu = &op.Op{
	Name:    "FastGelu",
	Domain:  op.Microsoft,
	Since:   []int{1},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}, {Name: "bias", Like: "X", Optional: true}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Expand:  one(fastGelu),
}

// fastGelu is tanh's approximation, of the sum with a bias.
func fastGelu(b *ir.Builder, n *ir.Node) *ir.Value {
	return b.OpA("Gelu", op.Attrs("approximate", "tanh"), plus(b, n.In...))
}
