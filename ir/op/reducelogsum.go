package op

import "github.com/bbgen/bbgen/ir"

// ReduceLogSum is the logarithm of the sum along axes.
//
// https://onnx.ai/onnx/operators/onnx__ReduceLogSum.html
var ReduceLogSum = &Op{
	Name:    "ReduceLogSum",
	Since:   []int{1, 11, 13, 18, 28},
	Attrs:   reduceAttrs,
	Inputs:  reduceInputs(floats),
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
