package op

import "github.com/bbgen/bbgen/ir"

// GridSampleGrad is the gradient of a [GridSample] by its image and its grid. Its
// inputs are dy and those of the operator.
var GridSampleGrad = &Op{
	Name:    "GridSampleGrad",
	Domain:  Own,
	Since:   []int{1},
	Attrs:   also(gridSampleAttrs),
	Inputs:  []Port{{Name: "dy", Types: floats}, {Name: "X", Like: "dy"}, {Name: "grid", Types: floats}},
	Outputs: []Port{{Name: "dx", Like: "dy"}, {Name: "dgrid", Like: "grid"}},
	Infer:   gradientOf(inferGridSample),
	Lower:   lowerGridSampleGrad,
	Widen:   true,
	Stops:   onlyOnce,
}

func lowerGridSampleGrad(l *Lowering) error {
	in := Shape(l.In[1])
	dx, dgrid := outOr(l, 0, l.In[1].Type), outOr(l, 1, l.In[2].Type)
	l.Call("GridSampleGrad", dx, dgrid, l.In[0], l.In[1], l.In[2], in[0], in[1], ir.Size(Shape(l.In[0])[2:]), in[2:],
		sampleModes[l.Str("mode")], borderModes[l.Str("padding_mode")], l.Int("align_corners") != 0)
	return nil
}
