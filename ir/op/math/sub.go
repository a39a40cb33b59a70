package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Sub is a - b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Sub.html
var Sub = &op.Op{
	Name:  "Sub",
	Since: []int{1, 6, 7, 13, 14},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Until: 7},
		{Name: "broadcast", Kind: op.Int, Default: 0, Until: 7},
		{Name: "consumed_inputs", Kind: op.Ints, Until: 6},
	},
	Inputs:  []op.Port{{Name: "A", Types: elem.Numbers}, {Name: "B", Like: "A"}},
	Outputs: []op.Port{{Name: "C", Like: "A"}},
	Infer:   foldBinary(ir.Dim.Sub),
	Upgrade: upgradeBroadcast,
	Grad:    subGrad,
	Lower:   op.Binary("Sub"),
	InPlace: true,
	Widen:   true,

	Broadcasts: true,
	Pointwise:  op.Always,
}

// da = dy, db = -dy
func subGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{op.Unbroadcast(b, dy[0], n.In[op.A]), b.Op("Neg", op.Unbroadcast(b, dy[0], n.In[op.B]))}
}
