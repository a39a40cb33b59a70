package reduce

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// ReduceL1 is the sum of absolute values along axes.
//
// https://onnx.ai/onnx/operators/onnx__ReduceL1.html
var ReduceL1 = &op.Op{
	Name:    "ReduceL1",
	Since:   []int{1, 11, 13, 18},
	Attrs:   reduceAttrs,
	Inputs:  reduceInputs(elem.Reducible),
	Outputs: []op.Port{{Name: "reduced", Like: "data"}},
	Infer:   inferReduce,
	Upgrade: upgradeReduce,
	Grad:    reduceL1Grad,
	Lower:   reduce("ReduceL1"),
	Widen:   true,
	Precise: []int{0},
}

// dx = dy·sign(x)
func reduceL1Grad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Mul", kept(b, n, dy[0]), b.Op("Sign", n.In[reduceData]))}
}
