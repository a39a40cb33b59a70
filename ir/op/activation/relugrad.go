package activation

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// ReluGrad is dy where y is above 0, and 0 elsewhere.
var ReluGrad = &op.Op{
	Name:    "ReluGrad",
	Domain:  op.Own,
	Since:   []int{1},
	Inputs:  []op.Port{{Name: "dy", Types: elem.Floats}, {Name: "y", Like: "dy"}},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   op.InferLike(0),
	Lower:   func(l *op.Lowering) error { l.Each(l.StoredKernel("ReluGrad"), l.Out[0], l.In[0], l.In[1]); return nil },
	Stored:  []int{1},
	Expand:  expandReluGrad,
	Expands: op.Never,
	InPlace: true,
	Widen:   true,
}

func expandReluGrad(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	return []*ir.Value{op.ZeroUnless(b, b.Op("Greater", n.In[1], op.ScalarLike(b, n.In[1], 0)), n.In[0])}, nil
}
