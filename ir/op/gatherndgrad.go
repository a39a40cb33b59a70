package op

import "github.com/bbgen/bbgen/ir"

// GatherNDGrad adds each slice of dy to where a [GatherND] has taken it from,
// beginning with zeros. Its inputs are dy, the indices, and the data, of which
// it takes the size.
var GatherNDGrad = &Op{
	Name:    "GatherNDGrad",
	Domain:  Own,
	Since:   []int{1},
	Attrs:   []Attr{{Name: "batch_dims", Kind: Int, Default: 0}},
	Inputs:  []Port{{Name: "dy", Types: floats}, {Name: "indices", Types: indices}, {Name: "data", Like: "dy"}},
	Outputs: []Port{{Name: "dx", Like: "dy"}},
	Infer:   gradientOf(inferGatherND, 2, 1),
	Grad:    gatherNDGradGrad,
	Lower:   lowerGatherNDGrad,
	Widen:   true,
}

// ddy = the slices of the gradient
func gatherNDGradGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.OpA("GatherND", n.Attrs, dy[0], n.In[1])}
}

func lowerGatherNDGrad(l *Lowering) error {
	dx, index := l.Out[0], l.In[1]
	batch, q := l.Int("batch_dims"), len(Shape(index))
	k, err := rowLength(index.Type, len(Shape(dx))-batch)
	if err != nil {
		return err
	}
	l.Call("GatherNDGrad", dx, l.In[0], index, ir.Size(Shape(dx)[:batch]), ir.Size(Shape(index)[batch:q-1]), k, Shape(dx)[batch:])
	return nil
}
