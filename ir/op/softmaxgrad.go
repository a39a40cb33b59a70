package op

import "github.com/bbgen/bbgen/ir"

// SoftmaxGrad is y·(dy - Σ dy·y) along the axis of the [Softmax] that gave y.
var SoftmaxGrad = &Op{
	Name:   "SoftmaxGrad",
	Domain: Own,
	Since:  []int{1},
	Attrs: []Attr{
		{Name: "axis", Kind: Int, Default: -1},
		{Name: "flat", Kind: Int, Default: 0},
	},
	Inputs:  []Port{{Name: "dy", Types: floats}, {Name: "y", Like: "dy"}},
	Outputs: []Port{{Name: "dx", Like: "dy"}},
	Infer:   inferSoftmax,
	Lower:   lowerSoftmaxGrad,
	Stored:  []int{1},
	Expand:  expandSoftmaxGrad,
	Expands: never,
	Widen:   true,
}

func lowerSoftmaxGrad(l *Lowering) error {
	outer, n, inner, err := softmaxAxes(l.Node, Shape(l.In[0]))
	if err != nil {
		return err
	}
	l.Call(l.stored("SoftmaxGrad"), l.Out[0], l.In[0], l.In[1], outer, n, inner)
	return nil
}

func expandSoftmaxGrad(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	dy, y := n.In[0], n.In[1]
	dot := softmaxSum(b, n, b.Op("Mul", dy, y))
	return []*ir.Value{b.Op("Mul", y, b.Op("Sub", dy, dot))}, nil
}
