package conv

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [ConvGradInput].
const (
	convGradInputDy = iota
	convGradInputW
	convGradInputX
)

// ConvGradInput is the gradient of a [Conv] with respect to its images. Its inputs are the gradient of the
// output, the filters, and the images, which only determine the size.
var ConvGradInput = &op.Op{
	Name:   "ConvGradInput",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  op.NewestAttrs(convAttrs),
	Inputs: []op.Port{
		convGradInputDy: {Name: "dy", Types: elem.Floats},
		convGradInputW:  {Name: "w", Like: "dy"},
		convGradInputX:  {Name: "x", Like: "dy"},
	},
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
		b.OpA("Conv", n.Attrs, dy[0], n.In[convGradInputW]),
		op.OwnNode(b, "ConvGradWeight", n.Attrs, n.In[convGradInputDy], dy[0], n.In[convGradInputW]),
		nil,
	}
}

func lowerConvGradInput(l *op.Lowering) error {
	cv, err := newConv(l.Node, 2, 1)
	if err != nil {
		return err
	}
	dy, w := l.In[convGradInputDy], l.In[convGradInputW]
	cols := l.Scratch(dy.Type.Elem, op.Shape(w)[1].Mul(ir.Size(cv.kernel)), ir.Size(cv.out))
	l.Call("ConvTranspose", l.Out[0], dy, w, (*ir.Value)(nil), cols, convShape(cv.images, cv.filters, cv.channels, cv.groups, cv.arg()))
	return nil
}
