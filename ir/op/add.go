package op

import "github.com/bbgen/bbgen/ir"

// Add is a + b with numpy's broadcasting.
//
// https://onnx.ai/onnx/operators/onnx__Add.html
var Add = &Op{
	Name:  "Add",
	Since: []int{1, 6, 7, 13, 14},
	Attrs: []Attr{
		{Name: "axis", Kind: Int, Until: 7},
		{Name: "broadcast", Kind: Int, Default: 0, Until: 7},
		{Name: "consumed_inputs", Kind: Ints, Until: 6},
	},
	Inputs:  []Port{{Name: "A", Types: numbers}, {Name: "B", Like: "A"}},
	Outputs: []Port{{Name: "C", Like: "A"}},
	Infer:   foldBinary(ir.Dim.Add),
	Upgrade: upgradeBroadcast,
	Grad:    addGrad,
	Lower:   binary("Add"),
	InPlace: true,
	Widen:   true,

	Broadcasts: true,
	Pointwise:  everyNode,
}

// da = db = dy
func addGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{unbroadcast(b, dy[0], n.In[0]), unbroadcast(b, dy[0], n.In[1])}
}
