package conv

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [DeformSampleGrad].
const (
	deformSampleGradDy = iota
	deformSampleGradX
	deformSampleGradOffset
	deformSampleGradMask
)

// DeformSampleGrad is the gradient of a [DeformSample] with respect to its inputs. Its inputs are dy and
// those of the operator.
var DeformSampleGrad = &op.Op{
	Name:   "DeformSampleGrad",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  op.NewestAttrs(deformAttrs),
	Inputs: []op.Port{
		deformSampleGradDy:     {Name: "dy", Types: elem.Floats},
		deformSampleGradX:      {Name: "X", Like: "dy"},
		deformSampleGradOffset: {Name: "offset", Like: "dy"},
		deformSampleGradMask:   {Name: "mask", Like: "dy", Optional: true},
	},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}, {Name: "doffset", Like: "dy", Optional: true}, {Name: "dmask", Like: "dy", Optional: true}},
	Infer:   op.InferGradient(inferDeformSample),
	Lower:   lowerDeformSampleGrad,
	Widen:   true,
	Stops:   op.StopSecondOrder,
}

func lowerDeformSampleGrad(l *op.Lowering) error {
	x, offset, mask := l.In[deformSampleGradX], l.In[deformSampleGradOffset], l.Arg(deformSampleGradMask)
	w, err := samples(l.Node, x)
	if err != nil {
		return err
	}
	var dmask *ir.Value
	if mask != nil {
		dmask = l.OutOr(2, mask.Type)
	}
	l.Call("DeformSampleGrad", l.OutOr(0, x.Type), l.OutOr(1, offset.Type), dmask, l.In[deformSampleGradDy], x, offset, mask, op.Struct{Type: "DeformShape", Fields: []op.Field{
		{Name: "Images", Value: op.Shape(x)[0]}, {Name: "Channels", Value: op.Shape(x)[1]},
		{Name: "OffsetGroups", Value: l.Int("offset_group")}, {Name: "Window", Value: w.arg()},
	}})
	return nil
}
