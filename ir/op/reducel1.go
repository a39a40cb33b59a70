package op

import "github.com/bbgen/bbgen/ir"

// ReduceL1 is the sum of absolute values along axes.
//
// https://onnx.ai/onnx/operators/onnx__ReduceL1.html
var ReduceL1 = &Op{
	Name:  "ReduceL1",
	Since: []int{1, 11, 13, 18},
	Attrs: []Attr{
		{Name: "axes", Kind: Ints, Until: 18},
		{Name: "keepdims", Kind: Int, Default: 1},
		{Name: "noop_with_empty_axes", Kind: Int, Default: 0, Since: 18},
	},
	Inputs:  []Port{{Name: "data", Types: reducible}, {Name: "axes", Types: indices, Optional: true, Since: 18}},
	Outputs: []Port{{Name: "reduced", Like: "data"}},
	Infer:   inferReduce,
	Upgrade: upgradeReduce,
	Grad:    reduceL1Grad,
	Lower:   reduce("ReduceL1"),
	Widen:   true,
	Precise: []int{0},
}

// dx = dy·sign(x)
func reduceL1Grad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Mul", kept(b, n, dy[0]), b.Op("Sign", n.In[0]))}
}
