package reduce

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// ReduceLogSum is the logarithm of the sum along axes.
//
// https://onnx.ai/onnx/operators/onnx__ReduceLogSum.html
var ReduceLogSum = &op.Op{
	Name:    "ReduceLogSum",
	Since:   []int{1, 11, 13, 18, 28},
	Attrs:   reduceAttrs,
	Inputs:  reduceInputs(elem.Floats),
	Outputs: []op.Port{{Name: "reduced", Like: "data"}},
	Infer:   inferReduce,
	Upgrade: upgradeReduce,
	Grad:    reduceLogSumGrad,
	Lower:   reduce("ReduceLogSum"),
	Widen:   true,
	Precise: []int{0},
}

// dx = dy/Σx
func reduceLogSumGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	g := b.Op("Div", kept(b, n, dy[0]), reduceAgain(b, n, "ReduceSum", n.In[reduceData]))
	return []*ir.Value{b.Op("Expand", g, op.ShapeOf(b, n.In[reduceData]))}
}
