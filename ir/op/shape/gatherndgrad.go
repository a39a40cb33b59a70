package shape

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// GatherNDGrad adds each slice of dy to the slice from which a [GatherND] has taken it, starting with zeros.
// Its inputs are dy, the indices, and the data, which only determine the size.
var GatherNDGrad = &op.Op{
	Name:   "GatherNDGrad",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  []op.Attr{{Name: "batch_dims", Kind: op.Int, Default: 0}},
	Inputs: []op.Port{
		gatherGradDy:      {Name: "dy", Types: elem.Floats},
		gatherGradIndices: {Name: "indices", Types: elem.Indices},
		gatherGradData:    {Name: "data", Like: "dy"},
	},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   op.InferGradient(inferGatherND, 2, 1),
	Grad:    gatherNDGradGrad,
	Lower:   lowerGatherNDGrad,
	Widen:   true,
}

// ddy = the slices of the gradient
func gatherNDGradGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.OpA("GatherND", n.Attrs, dy[0], n.In[gatherGradIndices])}
}

func lowerGatherNDGrad(l *op.Lowering) error {
	return callGatherND(l, "GatherNDGrad", op.Shape(l.Out[0]))
}
