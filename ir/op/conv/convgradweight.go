package conv

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [ConvGradWeight].
const (
	convGradWeightDy = iota
	convGradWeightX
	convGradWeightW
)

// ConvGradWeight is the gradient of a [Conv] with respect to its filters. Its inputs are the gradient of the
// output, the images, and the filters, which only determine the size.
var ConvGradWeight = &op.Op{
	Name:   "ConvGradWeight",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  op.NewestAttrs(convAttrs),
	Inputs: []op.Port{
		convGradWeightDy: {Name: "dy", Types: elem.Floats},
		convGradWeightX:  {Name: "x", Like: "dy"},
		convGradWeightW:  {Name: "w", Like: "dy"},
	},
	Outputs: []op.Port{{Name: "dw", Like: "dy"}},
	Infer:   inferConvGradWeight,
	Grad:    convGradWeightGrad,
	Lower:   lowerConvGradWeight,
	Widen:   true,
	FLOPs:   convGradWork(2),
}

func inferConvGradWeight(c *op.Infer) error {
	if _, err := newConv(c.Node, 1, 2); err != nil {
		return err
	}
	return op.InferLike(2)(c)
}

// ddy = a convolution with the gradient; dx as that of a convolution with it
func convGradWeightGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{
		b.OpA("Conv", n.Attrs, n.In[convGradWeightX], dy[0]),
		op.OwnNode(b, "ConvGradInput", n.Attrs, n.In[convGradWeightDy], dy[0], n.In[convGradWeightX]),
		nil,
	}
}

func lowerConvGradWeight(l *op.Lowering) error {
	cv, err := newConv(l.Node, 1, 2)
	if err != nil {
		return err
	}
	dy, x := l.In[convGradWeightDy], l.In[convGradWeightX]
	cols := l.Scratch(dy.Type.Elem, op.Shape(l.In[convGradWeightW])[1].Mul(ir.Size(cv.kernel)), ir.Size(cv.out))
	l.Call("ConvGradWeight", l.Out[0], dy, x, cols, cv.shapeArg())
	return nil
}
