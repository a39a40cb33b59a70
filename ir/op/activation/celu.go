package activation

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Celu is max(0, x) + min(0, alpha·(exp(x/alpha)-1)).
//
// https://onnx.ai/onnx/operators/onnx__Celu.html
var Celu = &op.Op{
	Name:    "Celu",
	Since:   []int{12, 28},
	Attrs:   []op.Attr{{Name: "alpha", Kind: op.Float, Default: 1.0}},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   op.InferSame,
	Grad:    celuGrad,
	Lower:   lowerCelu,
	InPlace: true,
	Widen:   true,

	Pointwise: op.Always,
}

func lowerCelu(l *op.Lowering) error {
	l.Each("Celu", l.Out[0], l.In[op.X], l.Float("alpha"))
	return nil
}

// dx = dy, or dy·(y/alpha+1) where x ≤ 0
func celuGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[op.X]
	slope := b.Op("Add", b.Op("Div", n.Out[0], op.ScalarLike(b, x, n.Float("alpha"))), op.ScalarLike(b, x, 1))
	return []*ir.Value{b.Op("Where", b.Op("Greater", x, op.ScalarLike(b, x, 0)), dy[0], b.Op("Mul", dy[0], slope))}
}
