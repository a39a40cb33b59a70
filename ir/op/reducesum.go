package op

import "github.com/bbgen/bbgen/ir"

// ReduceSum is the sum along axes.
//
// https://onnx.ai/onnx/operators/onnx__ReduceSum.html
var ReduceSum = &Op{
	Name:    "ReduceSum",
	Since:   []int{1, 11, 13},
	In:      Arity{1, 2},
	Out:     One,
	Infer:   inferReduce(reducible),
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
