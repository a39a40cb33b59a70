package op

import "github.com/bbgen/bbgen/ir"

// Log1p is log(1+x), exact near 0.
var Log1p = &Op{
	Name:    "Log1p",
	Domain:  Tensors,
	Since:   []int{1},
	Inputs:  []Port{{Name: "x", Types: floats}},
	Outputs: []Port{{Name: "y", Like: "x"}},
	Infer:   inferSame,
	Grad:    log1pGrad,
	Lower:   unary("Log1p"),
	InPlace: true,
	Widen:   true,
}

// dx = dy/(1+x)
func log1pGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Div", dy[0], b.Op("Add", n.In[0], scalarLike(b, n.In[0], 1)))}
}
