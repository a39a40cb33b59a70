package shape

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [GatherGrad] and [GatherNDGrad]; dy and the indices are where [Gather] has the data and the indices.
const (
	gatherGradDy = iota
	gatherGradIndices
	gatherGradData
)

// GatherGrad adds each row of dy to the row from which a [Gather] has taken it, starting with zeros. Its
// inputs are dy, the indices, and the data, which only determine the size.
var GatherGrad = &op.Op{
	Name:   "GatherGrad",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  []op.Attr{{Name: "axis", Kind: op.Int, Default: 0}},
	Inputs: []op.Port{
		gatherGradDy:      {Name: "dy", Types: elem.Floats},
		gatherGradIndices: {Name: "indices", Types: elem.Indices},
		gatherGradData:    {Name: "data", Like: "dy"},
	},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   op.InferGradient(inferGather, 2, 1),
	Grad:    gatherGradGrad,
	Lower:   lowerGatherGrad,
	Widen:   true,
}

// ddy = the rows of the gradient
func gatherGradGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.OpA("Gather", n.Attrs, dy[0], n.In[gatherGradIndices])}
}

func lowerGatherGrad(l *op.Lowering) error { return callGather(l, "GatherGrad", op.Shape(l.Out[0])) }
