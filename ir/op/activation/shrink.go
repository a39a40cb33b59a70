package activation

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Shrink brings x towards 0 by bias where |x| is above lambd, and is 0
// elsewhere.
//
// https://onnx.ai/onnx/operators/onnx__Shrink.html
var Shrink = &op.Op{
	Name:  "Shrink",
	Since: []int{9},
	Attrs: []op.Attr{
		{Name: "bias", Kind: op.Float, Default: 0.0},
		{Name: "lambd", Kind: op.Float, Default: 0.5},
	},
	Inputs:  []op.Port{{Name: "input", Types: elem.Numbers}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   op.InferSame,
	Grad:    shrinkGrad,
	Lower:   lowerShrink,
	InPlace: true,
	Widen:   true,
}

func lowerShrink(l *op.Lowering) error {
	l.Each("Shrink", l.Out[0], l.In[op.X], l.Float("bias"), l.Float("lambd"))
	return nil
}

// dx = dy where |x| > lambd
func shrinkGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[op.X]
	return []*ir.Value{op.ZeroUnless(b, b.Op("Greater", b.Op("Abs", x), op.ScalarLike(b, x, n.Float("lambd"))), dy[0])}
}
