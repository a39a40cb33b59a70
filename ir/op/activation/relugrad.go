package activation

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [ReluGrad].
const (
	reluGradDy = iota
	reluGradY
)

// ReluGrad is dy where y is above 0, and 0 elsewhere.
var ReluGrad = &op.Op{
	Name:    "ReluGrad",
	Domain:  op.Own,
	Since:   []int{1},
	Inputs:  []op.Port{reluGradDy: {Name: "dy", Types: elem.Floats}, reluGradY: {Name: "y", Like: "dy"}},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   op.InferLike(0),
	Lower: func(l *op.Lowering) error {
		l.Each(l.StoredKernel("ReluGrad"), l.Out[0], l.In[reluGradDy], l.In[reluGradY])
		return nil
	},
	Stored:  []int{reluGradY},
	Expand:  expandReluGrad,
	Expands: op.Never,
	InPlace: true,
	Widen:   true,
}

func expandReluGrad(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	return []*ir.Value{op.ZeroUnless(b, b.Op("Greater", n.In[reluGradY], op.ScalarLike(b, n.In[reluGradY], 0)), n.In[reluGradDy])}, nil
}
