package op

import "github.com/bbgen/bbgen/ir"

// Celu is max(0, x) + min(0, alpha·(exp(x/alpha)-1)).
//
// https://onnx.ai/onnx/operators/onnx__Celu.html
var Celu = &Op{
	Name:    "Celu",
	Since:   []int{12, 28},
	Attrs:   []Attr{{Name: "alpha", Kind: Float, Default: 1.0}},
	Inputs:  []Port{{Name: "X", Types: floats}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferSame,
	Grad:    celuGrad,
	Lower:   lowerCelu,
	InPlace: true,
	Widen:   true,

	Pointwise: everyNode,
}

func lowerCelu(l *Lowering) error {
	l.Each("Celu", l.Out[0], l.In[0], l.Float("alpha"))
	return nil
}

// dx = dy, or dy·(y/alpha+1) where x ≤ 0
func celuGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[0]
	slope := b.Op("Add", b.Op("Div", n.Out[0], scalarLike(b, x, n.Float("alpha"))), scalarLike(b, x, 1))
	return []*ir.Value{b.Op("Where", b.Op("Greater", x, scalarLike(b, x, 0)), dy[0], b.Op("Mul", dy[0], slope))}
}
