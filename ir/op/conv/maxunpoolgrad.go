package conv

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [MaxUnpoolGrad].
const (
	maxUnpoolGradDy = iota
	maxUnpoolGradIndices
	maxUnpoolGradX
)

// MaxUnpoolGrad gathers the elements of dy at the positions where a [MaxUnpool] has put its input. Its inputs
// are dy, the indices, and the input, which only determines the size.
var MaxUnpoolGrad = &op.Op{
	Name:   "MaxUnpoolGrad",
	Domain: op.Own,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "kernel_shape", Kind: op.Ints},
		{Name: "pads", Kind: op.Ints},
		{Name: "strides", Kind: op.Ints},
	},
	Inputs: []op.Port{
		maxUnpoolGradDy:      {Name: "dy", Types: elem.Floats},
		maxUnpoolGradIndices: {Name: "indices", Types: elem.Int64s},
		maxUnpoolGradX:       {Name: "x", Like: "dy"},
	},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   op.InferLike(2),
	Grad:    maxUnpoolGradGrad,
	Lower:   lowerMaxUnpoolGrad,
	Widen:   true,
}

func lowerMaxUnpoolGrad(l *op.Lowering) error {
	shape, err := unpooledShape(op.Alike(l.Node, l.In[2:]))
	l.Call("MaxUnpoolGrad", l.Out[0], l.In[maxUnpoolGradDy], l.In[maxUnpoolGradIndices], shape, op.Shape(l.In[maxUnpoolGradDy]))
	return err
}

// ddy = the gradient, put where the elements were
func maxUnpoolGradGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.OpA("MaxUnpool", n.Attrs, dy[0], n.In[maxUnpoolGradIndices], op.ShapeOf(b, n.In[maxUnpoolGradDy]))}
}
