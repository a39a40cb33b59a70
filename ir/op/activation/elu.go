package activation

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Elu is x, or alpha·(eˣ-1) below 0.
//
// https://onnx.ai/onnx/operators/onnx__Elu.html
var Elu = &op.Op{
	Name:  "Elu",
	Since: []int{1, 6, 22},
	Attrs: []op.Attr{
		{Name: "alpha", Kind: op.Float, Default: 1.0},
		{Name: "consumed_inputs", Kind: op.Ints, Until: 6},
	},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   op.InferSame,
	Grad:    eluGrad,
	Lower:   lowerElu,
	InPlace: true,
	Widen:   true,

	Pointwise: op.Always,
}

func lowerElu(l *op.Lowering) error {
	l.Each("Elu", l.Out[0], l.In[op.X], l.Float("alpha"))
	return nil
}

// dx = dy, or dy·(y+alpha) where x ≤ 0
func eluGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[op.X]
	low := b.Op("Mul", dy[0], b.Op("Add", n.Out[0], op.ScalarLike(b, x, n.Float("alpha"))))
	return []*ir.Value{b.Op("Where", b.Op("Greater", x, op.ScalarLike(b, x, 0)), dy[0], low)}
}
