package op

import "github.com/bbgen/bbgen/ir"

// MaxUnpoolGrad takes the elements of dy at the places where a [MaxUnpool] has
// put its input. Its inputs are dy, the indices, and the input, of which it
// takes the size.
var MaxUnpoolGrad = &Op{
	Name:   "MaxUnpoolGrad",
	Domain: Own,
	Since:  []int{1},
	Attrs: []Attr{
		{Name: "kernel_shape", Kind: Ints},
		{Name: "pads", Kind: Ints},
		{Name: "strides", Kind: Ints},
	},
	Inputs:  []Port{{Name: "dy", Types: floats}, {Name: "indices", Types: int64s}, {Name: "x", Like: "dy"}},
	Outputs: []Port{{Name: "dx", Like: "dy"}},
	Infer:   like(2),
	Grad:    maxUnpoolGradGrad,
	Lower:   lowerMaxUnpoolGrad,
	Widen:   true,
}

func lowerMaxUnpoolGrad(l *Lowering) error {
	shape, err := unpooledShape(alike(l.Node, l.In[2:]))
	l.Call("MaxUnpoolGrad", l.Out[0], l.In[0], l.In[1], shape, Shape(l.In[0]))
	return err
}

// ddy = the gradient, put where the elements were
func maxUnpoolGradGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.OpA("MaxUnpool", n.Attrs, dy[0], n.In[1], shapeOf(b, n.In[0]))}
}
