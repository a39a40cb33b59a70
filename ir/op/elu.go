package op

import "github.com/bbgen/bbgen/ir"

// Elu is x, or alpha·(eˣ-1) below 0.
//
// https://onnx.ai/onnx/operators/onnx__Elu.html
var Elu = &Op{
	Name:  "Elu",
	Since: []int{1, 6, 22},
	Attrs: []Attr{
		{Name: "alpha", Kind: Float, Default: 1.0},
		{Name: "consumed_inputs", Kind: Ints, Until: 6},
	},
	Inputs:  []Port{{Name: "X", Types: floats}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferSame,
	Grad:    eluGrad,
	Lower:   lowerElu,
	InPlace: true,
	Widen:   true,

	Pointwise: everyNode,
}

func lowerElu(l *Lowering) error {
	l.Each("Elu", l.Out[0], l.In[0], l.Float("alpha"))
	return nil
}

// dx = dy, or dy·(y+alpha) where x ≤ 0
func eluGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[0]
	low := b.Op("Mul", dy[0], b.Op("Add", n.Out[0], scalarLike(b, x, n.Float("alpha"))))
	return []*ir.Value{b.Op("Where", b.Op("Greater", x, scalarLike(b, x, 0)), dy[0], low)}
}
