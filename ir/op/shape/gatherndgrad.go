package shape

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [GatherNDGrad].
const (
	gatherNDGradDy = iota
	gatherNDGradIndices
	gatherNDGradData
)

// GatherNDGrad adds each slice of dy to the slice from which a [GatherND] has taken it, starting with zeros.
// Its inputs are dy, the indices, and the data, which only determine the size.
var GatherNDGrad = &op.Op{
	Name:   "GatherNDGrad",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  []op.Attr{{Name: "batch_dims", Kind: op.Int, Default: 0}},
	Inputs: []op.Port{
		gatherNDGradDy:      {Name: "dy", Types: elem.Floats},
		gatherNDGradIndices: {Name: "indices", Types: elem.Indices},
		gatherNDGradData:    {Name: "data", Like: "dy"},
	},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   op.InferGradient(inferGatherND, 2, 1),
	Grad:    gatherNDGradGrad,
	Lower:   lowerGatherNDGrad,
	Widen:   true,
}

// ddy = the slices of the gradient
func gatherNDGradGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.OpA("GatherND", n.Attrs, dy[0], n.In[gatherNDGradIndices])}
}

func lowerGatherNDGrad(l *op.Lowering) error {
	dx, index := l.Out[0], l.In[gatherNDGradIndices]
	batch, q := l.Int("batch_dims"), len(op.Shape(index))
	k, err := rowLength(index.Type, len(op.Shape(dx))-batch)
	if err != nil {
		return err
	}
	l.Call("GatherNDGrad", dx, l.In[gatherNDGradDy], index, ir.Size(op.Shape(dx)[:batch]), ir.Size(op.Shape(index)[batch:q-1]), k, op.Shape(dx)[batch:])
	return nil
}
