package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Log1p is log(1+x), exact near 0.
var Log1p = &op.Op{
	Name:    "Log1p",
	Domain:  op.Tensors,
	Since:   []int{1},
	Inputs:  []op.Port{{Name: "x", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "y", Like: "x"}},
	Infer:   op.InferSame,
	Grad:    log1pGrad,
	Lower:   op.Unary("Log1p"),
	InPlace: true,
	Widen:   true,
}

// dx = dy/(1+x)
func log1pGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Div", dy[0], b.Op("Add", n.In[op.X], op.ScalarLike(b, n.In[op.X], 1)))}
}
