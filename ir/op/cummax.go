package op

import "github.com/bbgen/bbgen/ir"

// CumMax is the largest element so far along an axis, which may be known only when the
// model runs. A NaN stays.
var CumMax = cumulativeBest("CumMax")

// CumMin is the smallest, as [CumMax] is the largest.
var CumMin = cumulativeBest("CumMin")

func cumulativeBest(name string) *Op {
	return &Op{
		Name:    name,
		Domain:  Tensors,
		Since:   []int{1},
		Attrs:   []Attr{{Name: "reverse", Kind: Int, Default: 0}},
		Inputs:  []Port{{Name: "x", Types: numbers}, {Name: "axis", Types: indices}},
		Outputs: []Port{{Name: "y", Like: "x"}},
		Infer:   inferCumulative,
		Grad:    cumulativeBestGrad,
		Lower: func(l *Lowering) error {
			l.Call(name, l.Out[0], l.In[0], l.In[1], Shape(l.In[0]), l.Int("reverse") != 0)
			return nil
		},
		Widen: true,
	}
}

// dx = Σ dy over the places where x is the best so far
func cumulativeBestGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{own(b, "CumBestGrad", n.Attrs, dy[0], n.In[0], n.Out[0], n.In[1])}
}

// CumBestGrad is the gradient of a [CumMax] or [CumMin]. Its inputs are dy, the operator's
// x and y, and its axis.
var CumBestGrad = &Op{
	Name:    "CumBestGrad",
	Domain:  Own,
	Since:   []int{1},
	Attrs:   []Attr{{Name: "reverse", Kind: Int, Default: 0}},
	Inputs:  []Port{{Name: "dy", Types: floats}, {Name: "x", Like: "dy"}, {Name: "y", Like: "dy"}, {Name: "axis", Types: indices}},
	Outputs: []Port{{Name: "dx", Like: "dy"}},
	Infer:   like(1),
	Lower: func(l *Lowering) error {
		l.Call("CumBestGrad", l.Out[0], l.In[0], l.In[1], l.In[2], l.In[3], Shape(l.In[1]), l.Int("reverse") != 0)
		return nil
	},
	Widen: true,
	Stops: onlyOnce,
}
