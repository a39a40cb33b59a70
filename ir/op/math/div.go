package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Div is a / b with numpy's broadcasting; whole numbers are rounded towards 0.
//
// https://onnx.ai/onnx/operators/onnx__Div.html
var Div = &op.Op{
	Name:  "Div",
	Since: []int{1, 6, 7, 13, 14},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Until: 7},
		{Name: "broadcast", Kind: op.Int, Default: 0, Until: 7},
		{Name: "consumed_inputs", Kind: op.Ints, Until: 6},
	},
	Inputs:  []op.Port{{Name: "A", Types: elem.Numbers}, {Name: "B", Like: "A"}},
	Outputs: []op.Port{{Name: "C", Like: "A"}},
	Infer:   inferDiv,
	Upgrade: upgradeBroadcast,
	Grad:    divGrad,
	Lower:   op.Binary("Div"),
	InPlace: true,
	Widen:   true,

	Broadcasts: true,
	Pointwise:  op.Always,
}

func inferDiv(c *op.Infer) error {
	if err := op.InferBinary(c); err != nil {
		return err
	}
	knowBinary(c, func(a, b ir.Dim) (ir.Dim, bool) { return quotient(c.Module, a, b) })
	return nil
}

// da = dy/b, db = -y·dy/b
func divGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	da := b.Op("Div", dy[0], n.In[op.B])
	db := b.Op("Neg", b.Op("Mul", da, n.Out[0]))
	return []*ir.Value{op.Unbroadcast(b, da, n.In[op.A]), op.Unbroadcast(b, db, n.In[op.B])}
}
