package op

import "github.com/bbgen/bbgen/ir"

// ReduceMean is the mean along axes.
//
// https://onnx.ai/onnx/operators/onnx__ReduceMean.html
var ReduceMean = &Op{
	Name:  "ReduceMean",
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
	Grad:    reduceMeanGrad,
	Lower:   reduce("ReduceMean"),
	Widen:   true,
	Precise: []int{0},
}

// dx = dy/count
func reduceMeanGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	g := b.Op("Div", dy[0], countOf(b, n.In[0], n.Out[0]))
	return []*ir.Value{b.Op("Expand", kept(b, n, g), shapeOf(b, n.In[0]))}
}
