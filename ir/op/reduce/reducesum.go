package reduce

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// ReduceSum is the sum along axes.
//
// https://onnx.ai/onnx/operators/onnx__ReduceSum.html
var ReduceSum = &op.Op{
	Name:  "ReduceSum",
	Since: []int{1, 11, 13},
	Attrs: []op.Attr{
		{Name: "axes", Kind: op.Ints, Until: 13},
		{Name: "keepdims", Kind: op.Int, Default: 1},
		{Name: "noop_with_empty_axes", Kind: op.Int, Default: 0, Since: 13},
	},
	Inputs: []op.Port{
		reduceData: {Name: "data", Types: elem.Reducible},
		reduceAxes: {Name: "axes", Types: elem.Indices, Optional: true, Since: 13},
	},
	Outputs: []op.Port{{Name: "reduced", Like: "data"}},
	Infer:   inferReduce,
	Upgrade: upgradeReduce,
	Grad:    reduceSumGrad,
	Lower:   reduce("ReduceSum"),
	Widen:   true,
	Precise: []int{0},
}

// dx = dy
func reduceSumGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Expand", kept(b, n, dy[0]), op.ShapeOf(b, n.In[reduceData]))}
}
