package reduce

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// ReduceL2 is the root of the sum of squares along axes.
//
// https://onnx.ai/onnx/operators/onnx__ReduceL2.html
var ReduceL2 = &op.Op{
	Name:    "ReduceL2",
	Since:   []int{1, 11, 13, 18},
	Attrs:   reduceAttrs,
	Inputs:  reduceInputs(elem.Reducible),
	Outputs: []op.Port{{Name: "reduced", Like: "data"}},
	Infer:   inferReduce,
	Upgrade: upgradeReduce,
	Grad:    reduceL2Grad,
	Lower:   reduce("ReduceL2"),
	Expand:  reduceInInt64,
	Expands: sums32,
	Widen:   true,
	Precise: []int{0},
}

// dx = x·dy/y, 0 where y is 0
func reduceL2Grad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	y := n.Out[0]
	zero := op.ScalarLike(b, y, 0)
	g := b.Op("Where", b.Op("Equal", y, zero), zero, b.Op("Div", dy[0], y))
	return []*ir.Value{b.Op("Mul", n.In[reduceData], kept(b, n, g))}
}
