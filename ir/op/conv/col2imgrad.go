package conv

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [Col2ImGrad].
const (
	col2ImGradDy = iota
	col2ImGradX
	col2ImGradImageShape
	col2ImGradBlockShape
)

// Col2ImGrad splits dy into the columns that a [Col2Im] has summed. Its inputs are dy and those of the
// Col2Im, of which the first only determines the size.
var Col2ImGrad = &op.Op{
	Name:   "Col2ImGrad",
	Domain: op.Own,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "dilations", Kind: op.Ints},
		{Name: "pads", Kind: op.Ints},
		{Name: "strides", Kind: op.Ints},
	},
	Inputs: []op.Port{
		col2ImGradDy:         {Name: "dy", Types: elem.Floats},
		col2ImGradX:          {Name: "x", Like: "dy"},
		col2ImGradImageShape: {Name: "image_shape", Types: elem.Indices},
		col2ImGradBlockShape: {Name: "block_shape", Types: elem.Indices},
	},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   op.InferLike(1),
	Grad:    col2ImGradGrad,
	Lower:   lowerCol2ImGrad,
	Widen:   true,
}

// ddy = the columns, added up
func col2ImGradGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.OpA("Col2Im", n.Attrs, dy[0], n.In[col2ImGradImageShape], n.In[col2ImGradBlockShape])}
}

func lowerCol2ImGrad(l *op.Lowering) error {
	b, err := colBlocksOf(op.Alike(l.Node, l.In[1:]))
	if err != nil {
		return err
	}
	dy := op.Shape(l.In[col2ImGradDy])
	l.Call("Col2ImGrad", l.Out[0], l.In[col2ImGradDy], dy[0].Mul(dy[1]), op.Struct{Type: "Window", Fields: []op.Field{
		{Name: "In", Value: dy[2:]}, {Name: "Out", Value: b.count}, {Name: "Kernel", Value: b.shape},
		{Name: "Stride", Value: b.strides}, {Name: "Dilation", Value: b.dilations}, {Name: "Pad", Value: b.front},
	}})
	return nil
}
