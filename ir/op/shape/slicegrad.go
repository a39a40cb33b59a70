package shape

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [SliceGrad].
const (
	sliceGradDy = iota
	sliceGradData
	sliceGradStarts
	sliceGradEnds
	sliceGradAxes
	sliceGradSteps
)

// SliceGrad puts dy at the positions from which a [Slice] has taken it, and zeros elsewhere. Its inputs are
// dy and those of the Slice; its data only determine the size.
var SliceGrad = &op.Op{
	Name:   "SliceGrad",
	Domain: op.Own,
	Since:  []int{1},
	Inputs: []op.Port{
		sliceGradDy:     {Name: "dy", Types: elem.Floats},
		sliceGradData:   {Name: "data", Like: "dy"},
		sliceGradStarts: {Name: "starts", Types: elem.Indices},
		sliceGradEnds:   {Name: "ends", Types: elem.Indices},
		sliceGradAxes:   {Name: "axes", Types: elem.Indices, Optional: true},
		sliceGradSteps:  {Name: "steps", Types: elem.Indices, Optional: true},
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
	dy, dx := l.In[sliceGradDy], l.Out[0]
	s := slicingOf(op.Alike(l.Node, l.In[1:]))
	l.Call("SliceGrad", dx, dy, op.Shape(dx), op.Shape(dy), s.starts, s.axes, s.steps)
	return nil
}
