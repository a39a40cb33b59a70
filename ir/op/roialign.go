package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// RoiAlign cuts regions out of images into cells, and takes the mean or the
// maximum of samples in each.
//
// https://onnx.ai/onnx/operators/onnx__RoiAlign.html
var RoiAlign = &Op{
	Name:    "RoiAlign",
	Since:   []int{10, 16, 22},
	Attrs:   roiAlignAttrs,
	Inputs:  []Port{{Name: "X", Types: floats}, {Name: "rois", Like: "X"}, {Name: "batch_indices", Types: indices}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferRoiAlign,
	Upgrade: upgradeRoiAlign,
	Grad:    roiAlignGrad,
	Lower:   lowerRoiAlign,
	Widen:   true,
}

func upgradeRoiAlign(_ *ir.Builder, n *ir.Node) error {
	if n.Version < 16 {
		n.Attrs.Set("coordinate_transformation_mode", "output_half_pixel")
	}
	return nil
}

func inferRoiAlign(c *Infer) error {
	x, err := c.Rank(0, 4)
	if err != nil {
		return err
	}
	rois, err := c.Rank(1, 2)
	if err != nil {
		return err
	}
	batch, err := c.Rank(2, 1)
	if err != nil {
		return err
	}
	if _, err := c.index(2); err != nil {
		return err
	}
	n, err := c.agree(2, 0, rois.Shape[0])
	if _, err4 := c.agree(1, 1, ir.C(4)); err != nil || err4 != nil || rois.Elem != x.Elem {
		return fmt.Errorf("rois are %s for batch_indices %s, want %s[n,4]", rois, batch, x.Elem)
	}
	h, w := c.Int("output_height"), c.Int("output_width")
	if h < 1 || w < 1 || c.Int("sampling_ratio") < 0 {
		return fmt.Errorf("output is %d by %d with %d samples, want positive numbers", h, w, c.Int("sampling_ratio"))
	}
	c.OutTensor(0, x.Elem, n, x.Shape[1], ir.C(h), ir.C(w))
	return nil
}

func lowerRoiAlign(l *Lowering) error {
	l.Call("RoiAlign", l.Out[0], l.In[0], l.In[1], l.In[2], roiAlignParams(l.Node, l.In[0]))
	return nil
}

// roiAlignParams is the kernels' parameter for images x.
func roiAlignParams(n *ir.Node, x *ir.Value) Struct {
	in := Shape(x)
	return Struct{"RoiAlignParams", []Field{
		{"Batches", in[0]},
		{"Channels", in[1]},
		{"Height", in[2]},
		{"Width", in[3]},
		{"OutHeight", n.Int("output_height")},
		{"OutWidth", n.Int("output_width")},
		{"Samples", n.Int("sampling_ratio")},
		{"Scale", n.Float("spatial_scale")},
		{"HalfPixel", n.Str("coordinate_transformation_mode") == "half_pixel"},
		{"Max", n.Str("mode") == "max"},
	}}
}

// dx by the weights that the samples had, drois by how these move
func roiAlignGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return append(ownN(b, "RoiAlignGrad", 2, n.Attrs, append([]*ir.Value{dy[0]}, n.In...)...), nil)
}

// RoiAlignGrad is the gradient of a [RoiAlign] by its images and its regions. Its
// inputs are dy and those of the operator.
var RoiAlignGrad = &Op{
	Name:   "RoiAlignGrad",
	Domain: Own,
	Since:  []int{1},
	Attrs:  also(roiAlignAttrs),
	Inputs: []Port{
		{Name: "dy", Types: floats},
		{Name: "X", Like: "dy"},
		{Name: "rois", Like: "dy"},
		{Name: "batch_indices", Types: indices},
	},
	Outputs: []Port{{Name: "dx", Like: "dy"}, {Name: "drois", Like: "dy"}},
	Infer:   gradientOf(inferRoiAlign),
	Lower:   lowerRoiAlignGrad,
	Widen:   true,
	Stops:   onlyOnce,
}

func lowerRoiAlignGrad(l *Lowering) error {
	x, rois := l.In[1], l.In[2]
	l.Call("RoiAlignGrad", outOr(l, 0, x.Type), outOr(l, 1, rois.Type), l.In[0], x, rois, l.In[3], roiAlignParams(l.Node, x))
	return nil
}

// roiAlignAttrs are the attributes of [RoiAlign], which others have, too.
var roiAlignAttrs = []Attr{
	{Name: "coordinate_transformation_mode", Kind: String, Default: "half_pixel", Values: []string{"half_pixel", "output_half_pixel"}, Since: 16},
	{Name: "mode", Kind: String, Default: "avg", Values: []string{"avg", "max"}},
	{Name: "output_height", Kind: Int, Default: 1},
	{Name: "output_width", Kind: Int, Default: 1},
	{Name: "sampling_ratio", Kind: Int, Default: 0},
	{Name: "spatial_scale", Kind: Float, Default: 1.0},
}
