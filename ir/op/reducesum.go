package op

import "github.com/bbgen/bbgen/ir"

// ReduceSum is the sum along axes.
//
// https://onnx.ai/onnx/operators/onnx__ReduceSum.html
var ReduceSum = &Op{
	Name:  "ReduceSum",
	Since: []int{1, 11, 13},
	Attrs: []Attr{
		{Name: "axes", Kind: Ints, Until: 13},
		{Name: "keepdims", Kind: Int, Default: 1},
		{Name: "noop_with_empty_axes", Kind: Int, Default: 0, Since: 13},
	},
	Inputs:  []Port{{Name: "data", Types: reducible}, {Name: "axes", Types: indices, Optional: true, Since: 13}},
	Outputs: []Port{{Name: "reduced", Like: "data"}},
	Infer:   inferReduce,
	Upgrade: upgradeReduce,
	Grad:    reduceSumGrad,
	Lower:   reduce("ReduceSum"),
	Widen:   true,
	Precise: []int{0},
}

// dx = dy
func reduceSumGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Expand", kept(b, n, dy[0]), shapeOf(b, n.In[0]))}
}
