package image

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [GridSampleGrad].
const (
	gridSampleGradDy = iota
	gridSampleGradX
	gridSampleGradGrid
)

// GridSampleGrad is the gradient of a [GridSample] with respect to its image and its grid. Its inputs are dy
// and those of the operator.
var GridSampleGrad = &op.Op{
	Name:   "GridSampleGrad",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  op.NewestAttrs(gridSampleAttrs),
	Inputs: []op.Port{
		gridSampleGradDy:   {Name: "dy", Types: elem.Floats},
		gridSampleGradX:    {Name: "X", Like: "dy"},
		gridSampleGradGrid: {Name: "grid", Types: elem.Floats},
	},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}, {Name: "dgrid", Like: "grid"}},
	Infer:   op.InferGradient(inferGridSample),
	Lower:   lowerGridSampleGrad,
	Widen:   true,
	Stops:   op.StopSecondOrder,
}

func lowerGridSampleGrad(l *op.Lowering) error {
	in := op.Shape(l.In[gridSampleGradX])
	dx, dgrid := l.OutOr(0, l.In[gridSampleGradX].Type), l.OutOr(1, l.In[gridSampleGradGrid].Type)
	l.Call("GridSampleGrad", dx, dgrid, l.In[gridSampleGradDy], l.In[gridSampleGradX], l.In[gridSampleGradGrid], op.Struct{Type: "GridShape", Fields: []op.Field{
		{Name: "Batches", Value: in[0]}, {Name: "Channels", Value: in[1]},
		{Name: "Points", Value: ir.Size(op.Shape(l.In[gridSampleGradDy])[2:])}, {Name: "In", Value: in[2:]},
		{Name: "Mode", Value: sampleModes[l.Str("mode")]}, {Name: "Border", Value: borderModes[l.Str("padding_mode")]},
		{Name: "Align", Value: l.Int("align_corners") != 0},
	}})
	return nil
}
