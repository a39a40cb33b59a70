package shape

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// SliceGrad puts dy at the positions from which a [Slice] has taken it, and zeros elsewhere. Its inputs are
// dy and those of the Slice; its data only determine the size.
var SliceGrad = &op.Op{
	Name:   "SliceGrad",
	Domain: op.Own,
	Since:  []int{1},
	Inputs: []op.Port{
		{Name: "dy", Types: elem.Floats},
		{Name: "data", Like: "dy"},
		{Name: "starts", Types: elem.Indices},
		{Name: "ends", Types: elem.Indices},
		{Name: "axes", Types: elem.Indices, Optional: true},
		{Name: "steps", Types: elem.Indices, Optional: true},
	},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   op.InferLike(1),
	Grad:    sliceGradGrad,
	Lower:   lowerSliceGrad,
	Widen:   true,
}

// ddy = the slice of the gradient
func sliceGradGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Slice", append([]*ir.Value{dy[0]}, n.In[2:]...)...)}
}

func lowerSliceGrad(l *op.Lowering) error {
	dy, dx := l.In[0], l.Out[0]
	s := slicingOf(op.Alike(l.Node, l.In[1:]))
	l.Call("SliceGrad", dx, dy, op.Shape(dx), op.Shape(dy), s.starts, s.axes, s.steps)
	return nil
}
