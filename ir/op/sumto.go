package op

import "github.com/bbgen/bbgen/ir"

// SumTo is the sum of its first input over the axes along which the second one
// broadcasts to it, in the shape of the second.
var SumTo = &Op{
	Name:    "SumTo",
	Domain:  Own,
	Since:   []int{1},
	Inputs:  []Port{{Name: "dy", Types: floats}, {Name: "x", Like: "dy"}},
	Outputs: []Port{{Name: "dx", Like: "dy"}},
	Infer:   like(1),
	Grad:    sumToGrad,
	Lower:   lowerSumTo,
	Widen:   true,
}

// dx = dy, repeated
func sumToGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Expand", dy[0], shapeOf(b, n.In[0])), nil}
}

func lowerSumTo(l *Lowering) error {
	from, to := Shape(l.In[0]), Shape(l.Out[0])
	for len(to) < len(from) {
		to = append(ir.Cs(1), to...)
	}
	l.Call("ReduceSum", l.Out[0], l.In[0], from, to)
	return nil
}
