package norm

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// LpNormalization divides the vectors along an axis by their norm.
//
// https://onnx.ai/onnx/operators/onnx__LpNormalization.html
var LpNormalization = &op.Op{
	Name:  "LpNormalization",
	Since: []int{1, 22},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Default: -1},
		{Name: "p", Kind: op.Int, Default: 2},
	},
	Inputs:  []op.Port{{Name: "input", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   inferLpNorm,
	Grad:    lpNormalizationGrad,
	Lower:   lowerLpNorm,
	InPlace: true,
	Widen:   true,
}

func inferLpNorm(c *op.Infer) error {
	x, _, err := normAxis(c)
	if p := c.Int("p"); err == nil && p != 1 && p != 2 {
		err = fmt.Errorf("p is %d, want 1 or 2", p)
	}
	c.Out(0, x)
	return err
}

func lowerLpNorm(l *op.Lowering) error {
	x := l.In[op.X]
	shape := op.Shape(x)
	axis, err := op.Axis(l.Int("axis"), len(shape))
	if err != nil {
		return err
	}
	if len(shape) == 0 {
		shape = []ir.Dim{ir.C(1)}
	}
	inner := op.Inner(shape, axis)
	l.Call("LpNorm", l.Out[0], x, l.Scratch(x.Type.Elem, inner), shape[axis], inner, l.Int("p"))
	return nil
}

// dx = (dy - s·Σ dy·y)/norm, where s is y, or sign(x) if p is 1; 0 where the norm is
func lpNormalizationGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x, axes := n.In[op.X], b.Ints(n.Int("axis"))
	if len(op.Shape(x)) == 0 {
		return []*ir.Value{op.Fill(b, x, 0)} // the sign of x
	}
	s, norm := n.Out[0], b.Op("ReduceL2", x, axes)
	if n.Int("p") == 1 {
		s, norm = b.Op("Sign", x), b.Op("ReduceL1", x, axes)
	}
	dot := b.Op("ReduceSum", b.Op("Mul", dy[0], n.Out[0]), axes)
	dx := b.Op("Div", b.Op("Sub", dy[0], b.Op("Mul", s, dot)), norm)
	zero := op.ScalarLike(b, x, 0)
	return []*ir.Value{b.Op("Where", b.Op("Equal", norm, zero), zero, dx)}
}
