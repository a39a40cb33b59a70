package op

import "github.com/bbgen/bbgen/ir"

// Swish is x·sigmoid(alpha·x).
//
// https://onnx.ai/onnx/operators/onnx__Swish.html
var Swish = &Op{
	Name:    "Swish",
	Since:   []int{24},
	Attrs:   []Attr{{Name: "alpha", Kind: Float, Default: 1.0}},
	Inputs:  []Port{{Name: "X", Types: floats}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferSame,
	Grad:    swishGrad,
	Lower:   lowerSwish,
	InPlace: true,
	Act:     actSwish,
	Widen:   true,

	Pointwise: everyNode,
}

func lowerSwish(l *Lowering) error {
	l.Each("Swish", l.Out[0], l.In[0], l.Float("alpha"))
	return nil
}

func actSwish(n *ir.Node) string {
	if n.Float("alpha") == 1 {
		return "Silu"
	}
	return ""
}

// dx = dy·(s + alpha·y·(1-s)) for s = sigmoid(alpha·x)
func swishGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x, y := n.In[0], n.Out[0]
	alpha := scalarLike(b, x, n.Float("alpha"))
	s := b.Op("Sigmoid", b.Op("Mul", x, alpha))
	rest := b.Op("Mul", b.Op("Mul", y, alpha), b.Op("Sub", scalarLike(b, x, 1), s))
	return []*ir.Value{b.Op("Mul", dy[0], b.Op("Add", s, rest))}
}
