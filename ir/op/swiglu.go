package op

import "github.com/bbgen/bbgen/ir"

// SwiGLU is a·sigmoid(alpha·a)·b for operands of one shape.
//
// https://onnx.ai/onnx/operators/onnx__SwiGLU.html
var SwiGLU = &Op{
	Name:    "SwiGLU",
	Since:   []int{28},
	Attrs:   []Attr{{Name: "alpha", Kind: Float, Default: 1.0}},
	Inputs:  []Port{{Name: "A", Types: floats}, {Name: "B", Like: "A"}},
	Outputs: []Port{{Name: "Y", Like: "A"}},
	Infer:   inferSwiGLU,
	Grad:    swiGLUGrad,
	Lower:   lowerSwiGLU,
	InPlace: true,
	Widen:   true,

	Pointwise: everyNode,
}

func inferSwiGLU(c *Infer) error {
	a, err := c.Tensor(0)
	if err != nil {
		return err
	}
	if err := likeInput0(c, 1); err != nil {
		return err
	}
	if err := hasShape(c, 1, a.Shape...); err != nil {
		return err
	}
	c.Out(0, a)
	return nil
}

func lowerSwiGLU(l *Lowering) error {
	l.Each("SwiGLU", l.Out[0], l.In[0], l.In[1], l.Float("alpha"))
	return nil
}

// da = dy·b·swish'(a), db = dy·swish(a)
func swiGLUGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	alpha := attr("alpha", n.Float("alpha"))
	gate := b.OpA("Swish", alpha, n.In[0])
	return append(swishGrad(b, gate.Def, []*ir.Value{b.Op("Mul", dy[0], n.In[1])}), b.Op("Mul", dy[0], gate))
}
