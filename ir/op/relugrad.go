package op

import "github.com/bbgen/bbgen/ir"

// ReluGrad is dy where y is above 0, and 0 elsewhere.
var ReluGrad = &Op{
	Name:    "ReluGrad",
	Domain:  Own,
	Since:   []int{1},
	Inputs:  []Port{{Name: "dy", Types: floats}, {Name: "y", Like: "dy"}},
	Outputs: []Port{{Name: "dx", Like: "dy"}},
	Infer:   like(0),
	Lower:   func(l *Lowering) error { l.Each(l.stored("ReluGrad"), l.Out[0], l.In[0], l.In[1]); return nil },
	Stored:  []int{1},
	Expand:  expandReluGrad,
	Expands: never,
	InPlace: true,
	Widen:   true,
}

func expandReluGrad(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	return []*ir.Value{where(b, b.Op("Greater", n.In[1], scalarLike(b, n.In[1], 0)), n.In[0])}, nil
}
