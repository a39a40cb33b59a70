package op

import "github.com/bbgen/bbgen/ir"

// Sub is a - b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Sub.html
var Sub = &Op{
	Name:  "Sub",
	Since: []int{1, 6, 7, 13, 14},
	Attrs: []Attr{
		{Name: "axis", Kind: Int, Until: 7},
		{Name: "broadcast", Kind: Int, Default: 0, Until: 7},
		{Name: "consumed_inputs", Kind: Ints, Until: 6},
	},
	Inputs:  []Port{{Name: "A", Types: numbers}, {Name: "B", Like: "A"}},
	Outputs: []Port{{Name: "C", Like: "A"}},
	Infer:   foldBinary(ir.Dim.Sub),
	Upgrade: upgradeBroadcast,
	Grad:    subGrad,
	Lower:   binary("Sub"),
	InPlace: true,
	Widen:   true,

	Broadcasts: true,
	Pointwise:  everyNode,
}

// da = dy, db = -dy
func subGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{unbroadcast(b, dy[0], n.In[0]), b.Op("Neg", unbroadcast(b, dy[0], n.In[1]))}
}
