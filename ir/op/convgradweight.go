package op

import "github.com/bbgen/bbgen/ir"

// ConvGradWeight is the gradient of a [Conv] by its filters. Its inputs are the
// gradient of the output, the images, and the filters, whose size it takes.
var ConvGradWeight = &Op{
	Name:    "ConvGradWeight",
	Domain:  Own,
	Since:   []int{1},
	Attrs:   also(convAttrs),
	Inputs:  []Port{{Name: "dy", Types: floats}, {Name: "x", Like: "dy"}, {Name: "w", Like: "dy"}},
	Outputs: []Port{{Name: "dw", Like: "dy"}},
	Infer:   inferConvGradWeight,
	Grad:    convGradWeightGrad,
	Lower:   lowerConvGradWeight,
	Widen:   true,
	FLOPs:   convGradWork(2),
}

func inferConvGradWeight(c *Infer) error {
	if _, err := newConv(c.Node, 1, 2); err != nil {
		return err
	}
	return like(2)(c)
}

// ddy = a convolution with the gradient; dx as that of a convolution with it
func convGradWeightGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{
		b.OpA("Conv", n.Attrs, n.In[1], dy[0]),
		own(b, "ConvGradInput", n.Attrs, n.In[0], dy[0], n.In[1]),
		nil,
	}
}

func lowerConvGradWeight(l *Lowering) error {
	cv, err := newConv(l.Node, 1, 2)
	if err != nil {
		return err
	}
	dy, x := l.In[0], l.In[1]
	cols := l.Scratch(dy.Type.Elem, Shape(l.In[2])[1].Mul(ir.Size(cv.kernel)), ir.Size(cv.out))
	l.Call("ConvGradWeight", l.Out[0], dy, x, cols, cv.images, cv.channels, cv.filters, cv.groups, cv.arg())
	return nil
}
