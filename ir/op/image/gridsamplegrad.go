package image

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// GridSampleGrad is the gradient of a [GridSample] with respect to its image and its grid. Its inputs are dy
// and those of the operator.
var GridSampleGrad = &op.Op{
	Name:    "GridSampleGrad",
	Domain:  op.Own,
	Since:   []int{1},
	Attrs:   op.NewestAttrs(gridSampleAttrs),
	Inputs:  []op.Port{{Name: "dy", Types: elem.Floats}, {Name: "X", Like: "dy"}, {Name: "grid", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}, {Name: "dgrid", Like: "grid"}},
	Infer:   op.InferGradient(inferGridSample),
	Lower:   lowerGridSampleGrad,
	Widen:   true,
	Stops:   op.StopSecondOrder,
}

func lowerGridSampleGrad(l *op.Lowering) error {
	in := op.Shape(l.In[1])
	dx, dgrid := l.OutOr(0, l.In[1].Type), l.OutOr(1, l.In[2].Type)
	l.Call("GridSampleGrad", dx, dgrid, l.In[0], l.In[1], l.In[2], in[0], in[1], ir.Size(op.Shape(l.In[0])[2:]), in[2:],
		sampleModes[l.Str("mode")], borderModes[l.Str("padding_mode")], l.Int("align_corners") != 0)
	return nil
}
