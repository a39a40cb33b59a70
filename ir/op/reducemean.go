package op

import "github.com/bbgen/bbgen/ir"

// ReduceMean is the mean along axes.
//
// https://onnx.ai/onnx/operators/onnx__ReduceMean.html
var ReduceMean = &Op{
	Name:    "ReduceMean",
	Since:   []int{1, 11, 13, 18},
	Attrs:   reduceAttrs,
	Inputs:  reduceInputs(reducible),
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
