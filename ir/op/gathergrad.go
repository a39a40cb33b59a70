package op

import "github.com/bbgen/bbgen/ir"

// GatherGrad adds each row of dy to the row that a [Gather] has taken it from,
// beginning with zeros. Its inputs are dy, the indices, and the data, of which
// it takes the size.
var GatherGrad = &Op{
	Name:    "GatherGrad",
	Domain:  Own,
	Since:   []int{1},
	Attrs:   []Attr{{Name: "axis", Kind: Int, Default: 0}},
	Inputs:  []Port{{Name: "dy", Types: floats}, {Name: "indices", Types: indices}, {Name: "data", Like: "dy"}},
	Outputs: []Port{{Name: "dx", Like: "dy"}},
	Infer:   gradientOf(inferGather, 2, 1),
	Grad:    gatherGradGrad,
	Lower:   lowerGatherGrad,
	Widen:   true,
}

// ddy = the rows of the gradient
func gatherGradGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.OpA("Gather", n.Attrs, dy[0], n.In[1])}
}

func lowerGatherGrad(l *Lowering) error {
	shape := Shape(l.Out[0])
	axis, err := Axis(l.Int("axis"), len(shape))
	if err != nil {
		return err
	}
	l.Call("GatherGrad", l.Out[0], l.In[0], l.In[1], Outer(shape, axis), shape[axis], Inner(shape, axis))
	return nil
}
