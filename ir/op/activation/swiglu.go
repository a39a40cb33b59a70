package activation

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// SwiGLU is a·sigmoid(alpha·a)·b for operands of one shape.
//
// https://onnx.ai/onnx/operators/onnx__SwiGLU.html
var SwiGLU = &op.Op{
	Name:    "SwiGLU",
	Since:   []int{28},
	Attrs:   []op.Attr{{Name: "alpha", Kind: op.Float, Default: 1.0}},
	Inputs:  []op.Port{{Name: "A", Types: elem.Floats}, {Name: "B", Like: "A"}},
	Outputs: []op.Port{{Name: "Y", Like: "A"}},
	Infer:   inferSwiGLU,
	Grad:    swiGLUGrad,
	Lower:   lowerSwiGLU,
	InPlace: true,
	Widen:   true,

	Pointwise: op.Always,
}

func inferSwiGLU(c *op.Infer) error {
	a, err := c.Tensor(op.A)
	if err != nil {
		return err
	}
	if err := c.LikeInput0(op.B); err != nil {
		return err
	}
	if err := c.HasShape(op.B, a.Shape...); err != nil {
		return err
	}
	c.Out(0, a)
	return nil
}

func lowerSwiGLU(l *op.Lowering) error {
	l.Each("SwiGLU", l.Out[0], l.In[op.A], l.In[op.B], l.Float("alpha"))
	return nil
}

// da = dy·b·swish'(a), db = dy·swish(a)
func swiGLUGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	alpha := op.Attrs("alpha", n.Float("alpha"))
	gate := b.OpA("Swish", alpha, n.In[op.A])
	return append(swishGrad(b, gate.Def, []*ir.Value{b.Op("Mul", dy[0], n.In[op.B])}), b.Op("Mul", dy[0], gate))
}
