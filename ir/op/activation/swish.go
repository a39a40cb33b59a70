package activation

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Swish is x·sigmoid(alpha·x).
//
// https://onnx.ai/onnx/operators/onnx__Swish.html
var Swish = &op.Op{
	Name:    "Swish",
	Since:   []int{24},
	Attrs:   []op.Attr{{Name: "alpha", Kind: op.Float, Default: 1.0}},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   op.InferSame,
	Grad:    swishGrad,
	Lower:   lowerSwish,
	InPlace: true,
	Act:     actSwish,
	Widen:   true,

	Pointwise: op.Always,
}

func lowerSwish(l *op.Lowering) error {
	l.Each("Swish", l.Out[0], l.In[op.X], l.Float("alpha"))
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
	x, y := n.In[op.X], n.Out[0]
	alpha := op.ScalarLike(b, x, n.Float("alpha"))
	s := b.Op("Sigmoid", b.Op("Mul", x, alpha))
	rest := b.Op("Mul", b.Op("Mul", y, alpha), b.Op("Sub", op.ScalarLike(b, x, 1), s))
	return []*ir.Value{b.Op("Mul", dy[0], b.Op("Add", s, rest))}
}
