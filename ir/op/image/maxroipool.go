package image

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [MaxRoiPool].
const (
	maxRoiPoolX = iota
	maxRoiPoolRois
)

// MaxRoiPool takes the maximum of each cell of a grid over regions of images.
//
// https://onnx.ai/onnx/operators/onnx__MaxRoiPool.html
var MaxRoiPool = &op.Op{
	Name:  "MaxRoiPool",
	Since: []int{1, 22},
	Attrs: []op.Attr{
		{Name: "pooled_shape", Kind: op.Ints, Required: true},
		{Name: "spatial_scale", Kind: op.Float, Default: 1.0},
	},
	Inputs:  []op.Port{maxRoiPoolX: {Name: "X", Types: elem.Floats}, maxRoiPoolRois: {Name: "rois", Like: "X"}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferMaxRoiPool,
	Grad:    maxRoiPoolGrad,
	Lower:   lowerMaxRoiPool,
	FLOPs:   maxRoiPoolWork,
	Widen:   true,
}

func inferMaxRoiPool(c *op.Infer) error {
	x, err := c.Rank(maxRoiPoolX, 4)
	if err != nil {
		return err
	}
	rois, err := c.Rank(maxRoiPoolRois, 2)
	if err != nil {
		return err
	}
	if _, err := c.Agree(maxRoiPoolRois, 1, ir.C(5)); err != nil || rois.Elem != x.Elem {
		return fmt.Errorf("rois are %s, want %s[n,5]", rois, x.Elem)
	}
	size := c.Ints("pooled_shape")
	if len(size) != 2 || size[0] < 1 || size[1] < 1 {
		return fmt.Errorf("pooled_shape is %v, want two positive numbers", size)
	}
	c.OutTensor(0, x.Elem, rois.Shape[0], x.Shape[1], ir.C(size[0]), ir.C(size[1]))
	return nil
}

func lowerMaxRoiPool(l *op.Lowering) error {
	in, out := op.Shape(l.In[maxRoiPoolX]), op.Shape(l.Out[0])
	l.Call("MaxRoiPool", l.Out[0], l.In[maxRoiPoolX], l.In[maxRoiPoolRois], op.Struct{Type: "RoiPoolShape", Fields: []op.Field{
		{Name: "Rois", Value: out[0]}, {Name: "Batches", Value: in[0]}, {Name: "Channels", Value: in[1]},
		{Name: "In", Value: in[2:]}, {Name: "Out", Value: out[2:]},
	}}, l.Float("spatial_scale"))
	return nil
}

// dx = dy at the largest element of its cell; where the regions are is rounded
func maxRoiPoolGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{op.OwnNode(b, "MaxRoiPoolGrad", n.Attrs, dy[0], n.In[maxRoiPoolX], n.In[maxRoiPoolRois]), nil}
}

// maxRoiPoolWork counts a comparison for each pixel of each region, which are at most those of an image.
func maxRoiPoolWork(n *ir.Node) ir.Dim {
	x, rois := op.Shape(n.In[maxRoiPoolX]), op.Shape(n.In[maxRoiPoolRois])
	return rois[0].Mul(ir.Size(x[1:]))
}
