package activation

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// LeakyRelu is x, or alpha·x below 0.
//
// https://onnx.ai/onnx/operators/onnx__LeakyRelu.html
var LeakyRelu = &op.Op{
	Name:  "LeakyRelu",
	Since: []int{1, 6, 16},
	Attrs: []op.Attr{
		{Name: "alpha", Kind: op.Float, Default: 0.01},
		{Name: "consumed_inputs", Kind: op.Ints, Until: 6},
	},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   op.InferSame,
	Grad:    leakyReluGrad,
	Lower:   lowerLeakyRelu,
	InPlace: true,
	Widen:   true,

	Pointwise: op.Always,
}

func lowerLeakyRelu(l *op.Lowering) error {
	l.Each("LeakyRelu", l.Out[0], l.In[op.X], l.Float("alpha"))
	return nil
}

// dx = dy, or dy·alpha where x ≤ 0
func leakyReluGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[op.X]
	low := b.Op("Mul", dy[0], op.ScalarLike(b, x, n.Float("alpha")))
	return []*ir.Value{b.Op("Where", b.Op("Greater", x, op.ScalarLike(b, x, 0)), dy[0], low)}
}
