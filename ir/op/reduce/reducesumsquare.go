package reduce

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// ReduceSumSquare is the sum of squares along axes.
//
// https://onnx.ai/onnx/operators/onnx__ReduceSumSquare.html
var ReduceSumSquare = &op.Op{
	Name:    "ReduceSumSquare",
	Since:   []int{1, 11, 13, 18},
	Attrs:   reduceAttrs,
	Inputs:  reduceInputs(elem.Reducible),
	Outputs: []op.Port{{Name: "reduced", Like: "data"}},
	Infer:   inferReduce,
	Upgrade: upgradeReduce,
	Grad:    reduceSumSquareGrad,
	Lower:   reduce("ReduceSumSquare"),
	Widen:   true,
	Precise: []int{0},
}

// dx = 2·x·dy
func reduceSumSquareGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	g := b.Op("Mul", kept(b, n, dy[0]), op.ScalarLike(b, n.In[reduceData], 2))
	return []*ir.Value{b.Op("Mul", n.In[reduceData], g)}
}
