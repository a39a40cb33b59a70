package op

import "github.com/bbgen/bbgen/ir"

// ReduceSumSquare is the sum of squares along axes.
//
// https://onnx.ai/onnx/operators/onnx__ReduceSumSquare.html
var ReduceSumSquare = &Op{
	Name:  "ReduceSumSquare",
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
	Grad:    reduceSumSquareGrad,
	Lower:   reduce("ReduceSumSquare"),
	Widen:   true,
	Precise: []int{0},
}

// dx = 2·x·dy
func reduceSumSquareGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	g := b.Op("Mul", kept(b, n, dy[0]), scalarLike(b, n.In[0], 2))
	return []*ir.Value{b.Op("Mul", n.In[0], g)}
}
