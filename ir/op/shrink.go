package op

import "github.com/bbgen/bbgen/ir"

// Shrink brings x towards 0 by bias where |x| is above lambd, and is 0
// elsewhere.
//
// https://onnx.ai/onnx/operators/onnx__Shrink.html
var Shrink = &Op{
	Name:  "Shrink",
	Since: []int{9},
	Attrs: []Attr{
		{Name: "bias", Kind: Float, Default: 0.0},
		{Name: "lambd", Kind: Float, Default: 0.5},
	},
	Inputs:  []Port{{Name: "input", Types: numbers}},
	Outputs: []Port{{Name: "output", Like: "input"}},
	Infer:   inferSame,
	Grad:    shrinkGrad,
	Lower:   lowerShrink,
	InPlace: true,
	Widen:   true,
}

func lowerShrink(l *Lowering) error {
	l.Each("Shrink", l.Out[0], l.In[0], l.Float("bias"), l.Float("lambd"))
	return nil
}

// dx = dy where |x| > lambd
func shrinkGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[0]
	return []*ir.Value{where(b, b.Op("Greater", b.Op("Abs", x), scalarLike(b, x, n.Float("lambd"))), dy[0])}
}
