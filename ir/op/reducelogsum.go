package op

import "github.com/bbgen/bbgen/ir"

// ReduceLogSum is the logarithm of the sum along axes.
//
// https://onnx.ai/onnx/operators/onnx__ReduceLogSum.html
var ReduceLogSum = &Op{
	Name:  "ReduceLogSum",
	Since: []int{1, 11, 13, 18, 28},
	Attrs: []Attr{
		{Name: "axes", Kind: Ints, Until: 18},
		{Name: "keepdims", Kind: Int, Default: 1},
		{Name: "noop_with_empty_axes", Kind: Int, Default: 0, Since: 18},
	},
	Inputs:  []Port{{Name: "data", Types: floats}, {Name: "axes", Types: indices, Optional: true, Since: 18}},
	Outputs: []Port{{Name: "reduced", Like: "data"}},
	Infer:   inferReduce,
	Upgrade: upgradeReduce,
	Grad:    reduceLogSumGrad,
	Lower:   reduce("ReduceLogSum"),
	Widen:   true,
	Precise: []int{0},
}

// dx = dy/Σx
func reduceLogSumGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	g := b.Op("Div", kept(b, n, dy[0]), reduceAgain(b, n, "ReduceSum", n.In[0]))
	return []*ir.Value{b.Op("Expand", g, shapeOf(b, n.In[0]))}
}
