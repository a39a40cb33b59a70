package op

import "github.com/bbgen/bbgen/ir"

// SliceGrad puts dy where a [Slice] has taken it from, among zeros. Its inputs
// are dy and those of the Slice, of whose data it takes the size.
var SliceGrad = &Op{
	Name:   "SliceGrad",
	Domain: Own,
	Since:  []int{1},
	Inputs: []Port{
		{Name: "dy", Types: floats},
		{Name: "data", Like: "dy"},
		{Name: "starts", Types: indices},
		{Name: "ends", Types: indices},
		{Name: "axes", Types: indices, Optional: true},
		{Name: "steps", Types: indices, Optional: true},
	},
	Outputs: []Port{{Name: "dx", Like: "dy"}},
	Infer:   like(1),
	Grad:    sliceGradGrad,
	Lower:   lowerSliceGrad,
	Widen:   true,
}

// ddy = the slice of the gradient
func sliceGradGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Slice", append([]*ir.Value{dy[0]}, n.In[2:]...)...)}
}

func lowerSliceGrad(l *Lowering) error {
	dy, dx := l.In[0], l.Out[0]
	s := slicingOf(alike(l.Node, l.In[1:]))
	l.Call("SliceGrad", dx, dy, Shape(dx), Shape(dy), s.starts, s.axes, s.steps)
	return nil
}
