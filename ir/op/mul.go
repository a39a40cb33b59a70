package op

import "github.com/bbgen/bbgen/ir"

// Mul is a · b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Mul.html
var Mul = &Op{
	Name:  "Mul",
	Since: []int{1, 6, 7, 13, 14},
	Attrs: []Attr{
		{Name: "axis", Kind: Int, Until: 7},
		{Name: "broadcast", Kind: Int, Default: 0, Until: 7},
		{Name: "consumed_inputs", Kind: Ints, Until: 6},
	},
	Inputs:  []Port{{Name: "A", Types: numbers}, {Name: "B", Like: "A"}},
	Outputs: []Port{{Name: "C", Like: "A"}},
	Infer:   foldBinary(ir.Dim.Mul),
	Upgrade: upgradeBroadcast,
	Grad:    mulGrad,
	Lower:   binary("Mul"),
	InPlace: true,
	Widen:   true,

	Broadcasts: true,
	Pointwise:  everyNode,
}

// da = dy·b, db = dy·a
func mulGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x, y := n.In[0], n.In[1]
	return []*ir.Value{unbroadcast(b, b.Op("Mul", dy[0], y), x), unbroadcast(b, b.Op("Mul", dy[0], x), y)}
}
