package op

import "github.com/bbgen/bbgen/ir"

// ConvGradInput is the gradient of a [Conv] by its images. Its inputs are the
// gradient of the output, the filters, and the images, whose size it takes.
var ConvGradInput = &Op{
	Name:    "ConvGradInput",
	Domain:  Own,
	Since:   []int{1},
	Attrs:   also(convAttrs),
	Inputs:  []Port{{Name: "dy", Types: floats}, {Name: "w", Like: "dy"}, {Name: "x", Like: "dy"}},
	Outputs: []Port{{Name: "dx", Like: "dy"}},
	Infer:   inferConvGradInput,
	Grad:    convGradInputGrad,
	Lower:   lowerConvGradInput,
	Widen:   true,
	FLOPs:   convGradWork(1),
}

func inferConvGradInput(c *Infer) error {
	if _, err := newConv(c.Node, 2, 1); err != nil {
		return err
	}
	return like(2)(c)
}

// ddy = a convolution of the gradient; dw as that of a convolution of it
func convGradInputGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{
		b.OpA("Conv", n.Attrs, dy[0], n.In[1]),
		own(b, "ConvGradWeight", n.Attrs, n.In[0], dy[0], n.In[1]),
		nil,
	}
}

func lowerConvGradInput(l *Lowering) error {
	cv, err := newConv(l.Node, 2, 1)
	if err != nil {
		return err
	}
	dy, w := l.In[0], l.In[1]
	cols := l.Scratch(dy.Type.Elem, Shape(w)[1].Mul(ir.Size(cv.kernel)), ir.Size(cv.out))
	l.Call("ConvTranspose", l.Out[0], dy, w, (*ir.Value)(nil), cols, cv.images, cv.filters, cv.channels, cv.groups, cv.arg())
	return nil
}
