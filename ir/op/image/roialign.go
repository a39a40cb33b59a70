package image

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [RoiAlign].
const (
	roiAlignX = iota
	roiAlignRois
	roiAlignBatchIndices
)

// RoiAlign divides regions of images into cells, and computes the mean or the maximum of samples in each.
//
// https://onnx.ai/onnx/operators/onnx__RoiAlign.html
var RoiAlign = &op.Op{
	Name:  "RoiAlign",
	Since: []int{10, 16, 22},
	Attrs: roiAlignAttrs,
	Inputs: []op.Port{
		roiAlignX:            {Name: "X", Types: elem.Floats},
		roiAlignRois:         {Name: "rois", Like: "X"},
		roiAlignBatchIndices: {Name: "batch_indices", Types: elem.Indices},
	},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferRoiAlign,
	Upgrade: upgradeRoiAlign,
	Grad:    roiAlignGrad,
	Lower:   lowerRoiAlign,
	FLOPs:   roiAlignFLOPs,
	Widen:   true,
}

// roiAlignFLOPs counts the samples of each cell, of four pixels each.
func roiAlignFLOPs(n *ir.Node) ir.Dim {
	return roiAlignWork(n, n.In[roiAlignX], n.In[roiAlignRois]).Mul(ir.C(8))
}

// roiAlignWork returns the number of samples of regions of images x. Without a ratio, a region has one for each pixel
// below it, which are at most those of an image, and at least one for each cell.
func roiAlignWork(n *ir.Node, x, rois *ir.Value) ir.Dim {
	in := op.Shape(x)
	samples := ir.C(n.Int("output_height")).Mul(ir.C(n.Int("output_width")))
	if side := ir.C(n.Int("sampling_ratio")); side.Is(0) {
		samples = op.AtLeast(in[2].Mul(in[3]), samples)
	} else {
		samples = samples.Mul(side).Mul(side)
	}
	return op.Shape(rois)[0].Mul(in[1]).Mul(samples)
}

func upgradeRoiAlign(_ *ir.Builder, n *ir.Node) error {
	if n.Version < 16 {
		n.Attrs.Set("coordinate_transformation_mode", "output_half_pixel")
	}
	return nil
}

func inferRoiAlign(c *op.Infer) error {
	x, err := c.Rank(roiAlignX, 4)
	if err != nil {
		return err
	}
	rois, err := c.Rank(roiAlignRois, 2)
	if err != nil {
		return err
	}
	batch, err := c.Rank(roiAlignBatchIndices, 1)
	if err != nil {
		return err
	}
	if _, err := c.IndexTensor(roiAlignBatchIndices); err != nil {
		return err
	}
	n, err := c.Agree(roiAlignBatchIndices, 0, rois.Shape[0])
	if _, err4 := c.Agree(roiAlignRois, 1, ir.C(4)); err != nil || err4 != nil || rois.Elem != x.Elem {
		return fmt.Errorf("rois are %s for batch_indices %s, want %s[n,4]", rois, batch, x.Elem)
	}
	h, w := c.Int("output_height"), c.Int("output_width")
	if h < 1 || w < 1 || c.Int("sampling_ratio") < 0 {
		return fmt.Errorf("output is %d by %d with %d samples, want positive numbers", h, w, c.Int("sampling_ratio"))
	}
	c.OutTensor(0, x.Elem, n, x.Shape[1], ir.C(h), ir.C(w))
	return nil
}

func lowerRoiAlign(l *op.Lowering) error {
	l.Call("RoiAlign", l.Out[0], l.In[roiAlignX], l.In[roiAlignRois], l.In[roiAlignBatchIndices], roiAlignParams(l.Node, l.In[roiAlignX]))
	return nil
}

// roiAlignParams returns the kernels' parameter for images x.
func roiAlignParams(n *ir.Node, x *ir.Value) op.Struct {
	in := op.Shape(x)
	return op.Struct{Type: "RoiAlignParams", Fields: []op.Field{
		{Name: "Batches", Value: in[0]},
		{Name: "Channels", Value: in[1]},
		{Name: "Height", Value: in[2]},
		{Name: "Width", Value: in[3]},
		{Name: "OutHeight", Value: n.Int("output_height")},
		{Name: "OutWidth", Value: n.Int("output_width")},
		{Name: "Samples", Value: n.Int("sampling_ratio")},
		{Name: "Scale", Value: n.Float("spatial_scale")},
		{Name: "HalfPixel", Value: n.Str("coordinate_transformation_mode") == "half_pixel"},
		{Name: "Max", Value: n.Str("mode") == "max"},
	}}
}

// dx by the weights of the samples, drois by the derivatives of these
func roiAlignGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return append(op.OwnNodes(b, "RoiAlignGrad", 2, n.Attrs, append([]*ir.Value{dy[0]}, n.In...)...), nil)
}

// roiAlignAttrs are the attributes of [RoiAlign], which others have, too.
var roiAlignAttrs = []op.Attr{
	{Name: "coordinate_transformation_mode", Kind: op.String, Default: "half_pixel", Values: []string{"half_pixel", "output_half_pixel"}, Since: 16},
	{Name: "mode", Kind: op.String, Default: "avg", Values: []string{"avg", "max"}},
	{Name: "output_height", Kind: op.Int, Default: 1},
	{Name: "output_width", Kind: op.Int, Default: 1},
	{Name: "sampling_ratio", Kind: op.Int, Default: 0},
	{Name: "spatial_scale", Kind: op.Float, Default: 1.0},
}
