package image

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [MaxRoiPoolGrad].
const (
	maxRoiPoolGradDy = iota
	maxRoiPoolGradX
	maxRoiPoolGradRois
)

// MaxRoiPoolGrad adds each element of dy to the first largest element of its cell. Its inputs are dy and
// those of the [MaxRoiPool].
var MaxRoiPoolGrad = &op.Op{
	Name:   "MaxRoiPoolGrad",
	Domain: op.Own,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "pooled_shape", Kind: op.Ints},
		{Name: "spatial_scale", Kind: op.Float, Default: 1.0},
	},
	Inputs: []op.Port{
		maxRoiPoolGradDy:   {Name: "dy", Types: elem.Floats},
		maxRoiPoolGradX:    {Name: "X", Like: "dy"},
		maxRoiPoolGradRois: {Name: "rois", Like: "dy"},
	},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   op.InferGradient(inferMaxRoiPool),
	Lower:   lowerMaxRoiPoolGrad,
	Widen:   true,
	Stops:   op.StopSecondOrder,
}

func lowerMaxRoiPoolGrad(l *op.Lowering) error {
	dy, in := op.Shape(l.In[maxRoiPoolGradDy]), op.Shape(l.In[maxRoiPoolGradX])
	l.Call("MaxRoiPoolGrad", l.Out[0], l.In[maxRoiPoolGradDy], l.In[maxRoiPoolGradX], l.In[maxRoiPoolGradRois], op.Struct{Type: "RoiPoolShape", Fields: []op.Field{
		{Name: "Rois", Value: dy[0]}, {Name: "Batches", Value: in[0]}, {Name: "Channels", Value: in[1]},
		{Name: "In", Value: in[2:]}, {Name: "Out", Value: dy[2:]},
	}}, l.Float("spatial_scale"))
	return nil
}
