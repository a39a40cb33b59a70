package op

import "github.com/bbgen/bbgen/ir"

// LeakyRelu is x, or alpha·x below 0.
//
// https://onnx.ai/onnx/operators/onnx__LeakyRelu.html
var LeakyRelu = &Op{
	Name:  "LeakyRelu",
	Since: []int{1, 6, 16},
	Attrs: []Attr{
		{Name: "alpha", Kind: Float, Default: 0.01},
		{Name: "consumed_inputs", Kind: Ints, Until: 6},
	},
	Inputs:  []Port{{Name: "X", Types: floats}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferSame,
	Grad:    leakyReluGrad,
	Lower:   lowerLeakyRelu,
	InPlace: true,
	Widen:   true,

	Pointwise: everyNode,
}

func lowerLeakyRelu(l *Lowering) error {
	l.Each("LeakyRelu", l.Out[0], l.In[0], l.Float("alpha"))
	return nil
}

// dx = dy, or dy·alpha where x ≤ 0
func leakyReluGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[0]
	low := b.Op("Mul", dy[0], scalarLike(b, x, n.Float("alpha")))
	return []*ir.Value{b.Op("Where", b.Op("Greater", x, scalarLike(b, x, 0)), dy[0], low)}
}
