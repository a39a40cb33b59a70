package image

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [RoiAlignGrad].
const (
	roiAlignGradDy = iota
	roiAlignGradX
	roiAlignGradRois
	roiAlignGradBatchIndices
)

// RoiAlignGrad is the gradient of a [RoiAlign] with respect to its images and its regions. Its inputs are dy
// and those of the operator.
var RoiAlignGrad = &op.Op{
	Name:   "RoiAlignGrad",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  op.NewestAttrs(roiAlignAttrs),
	Inputs: []op.Port{
		roiAlignGradDy:           {Name: "dy", Types: elem.Floats},
		roiAlignGradX:            {Name: "X", Like: "dy"},
		roiAlignGradRois:         {Name: "rois", Like: "dy"},
		roiAlignGradBatchIndices: {Name: "batch_indices", Types: elem.Indices},
	},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}, {Name: "drois", Like: "dy"}},
	Infer:   op.InferGradient(inferRoiAlign),
	Lower:   lowerRoiAlignGrad,
	FLOPs: func(n *ir.Node) ir.Dim {
		return roiAlignWork(n, n.In[roiAlignGradX], n.In[roiAlignGradRois]).Mul(ir.C(32))
	},
	Widen: true,
	Stops: op.StopSecondOrder,
}

func lowerRoiAlignGrad(l *op.Lowering) error {
	x, rois := l.In[roiAlignGradX], l.In[roiAlignGradRois]
	l.Call("RoiAlignGrad", l.OutOr(0, x.Type), l.OutOr(1, rois.Type), l.In[roiAlignGradDy], x, rois, l.In[roiAlignGradBatchIndices], roiAlignParams(l.Node, x))
	return nil
}
