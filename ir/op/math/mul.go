package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Mul is a · b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Mul.html
var Mul = &op.Op{
	Name:  "Mul",
	Since: []int{1, 6, 7, 13, 14},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Until: 7},
		{Name: "broadcast", Kind: op.Int, Default: 0, Until: 7},
		{Name: "consumed_inputs", Kind: op.Ints, Until: 6},
	},
	Inputs:  []op.Port{{Name: "A", Types: elem.Numbers}, {Name: "B", Like: "A"}},
	Outputs: []op.Port{{Name: "C", Like: "A"}},
	Infer:   foldBinary(ir.Dim.Mul),
	Upgrade: upgradeBroadcast,
	Grad:    mulGrad,
	Lower:   op.Binary("Mul"),
	InPlace: true,
	Widen:   true,

	Broadcasts: true,
	Pointwise:  op.Always,
}

// da = dy·b, db = dy·a
func mulGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x, y := n.In[op.A], n.In[op.B]
	return []*ir.Value{op.Unbroadcast(b, b.Op("Mul", dy[0], y), x), op.Unbroadcast(b, b.Op("Mul", dy[0], x), y)}
}
