package conv

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// ConvGradInput is the gradient of a [Conv] with respect to its images. Its inputs are the gradient of the
// output, the filters, and the images, which only determine the size.
var ConvGradInput = &op.Op{
	Name:    "ConvGradInput",
	Domain:  op.Own,
	Since:   []int{1},
	Attrs:   op.NewestAttrs(convAttrs),
	Inputs:  []op.Port{{Name: "dy", Types: elem.Floats}, {Name: "w", Like: "dy"}, {Name: "x", Like: "dy"}},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   inferConvGradInput,
	Grad:    convGradInputGrad,
	Lower:   lowerConvGradInput,
	Widen:   true,
	FLOPs:   convGradWork(1),
}

func inferConvGradInput(c *op.Infer) error {
	if _, err := newConv(c.Node, 2, 1); err != nil {
		return err
	}
	return op.InferLike(2)(c)
}

// ddy = a convolution of the gradient; dw as that of a convolution of it
func convGradInputGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{
		b.OpA("Conv", n.Attrs, dy[0], n.In[1]),
		op.OwnNode(b, "ConvGradWeight", n.Attrs, n.In[0], dy[0], n.In[1]),
		nil,
	}
}

func lowerConvGradInput(l *op.Lowering) error {
	cv, err := newConv(l.Node, 2, 1)
	if err != nil {
		return err
	}
	dy, w := l.In[0], l.In[1]
	cols := l.Scratch(dy.Type.Elem, op.Shape(w)[1].Mul(ir.Size(cv.kernel)), ir.Size(cv.out))
	l.Call("ConvTranspose", l.Out[0], dy, w, (*ir.Value)(nil), cols, cv.images, cv.filters, cv.channels, cv.groups, cv.arg())
	return nil
}
