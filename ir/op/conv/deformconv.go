package conv

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [DeformConv].
const (
	deformConvX = iota
	deformConvW
	deformConvOffset
	deformConvB
	deformConvMask
)

// DeformConv is a convolution with taps that are displaced by offsets at each position, and weighted by a mask.
//
// https://onnx.ai/onnx/operators/onnx__DeformConv.html
var DeformConv = &op.Op{
	Name:  "DeformConv",
	Since: []int{19, 22},
	Attrs: deformAttrs,
	Inputs: []op.Port{
		deformConvX:      {Name: "X", Types: elem.Floats},
		deformConvW:      {Name: "W", Like: "X"},
		deformConvOffset: {Name: "offset", Like: "X"},
		deformConvB:      {Name: "B", Like: "X", Optional: true},
		deformConvMask:   {Name: "mask", Like: "X", Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferDeformConv,
	Lower:   lowerDeformConv,
	FLOPs:   convWork,
	Agree:   agreeConv(0, 1),
	Widen:   true,

	Expand:  expandDeformConv,
	Expands: op.Never,
}

func inferDeformConv(c *op.Infer) error {
	x, err := c.Tensor(deformConvX)
	if err != nil {
		return err
	}
	if _, err := c.Tensor(deformConvW); err != nil {
		return err
	}
	for i := range c.In {
		if c.Arg(i) == nil {
			continue
		}
		if err := c.LikeInput0(i); err != nil {
			return err
		}
	}
	cv, err := newConv(c.Node, 0, 1)
	if err != nil {
		return err
	}
	og := c.Int("offset_group")
	n, ok := cv.channels.Const()
	if og < 1 || og > op.MaxStep || ok && n%og != 0 {
		return fmt.Errorf("%s channels do not make %d offset groups", cv.channels, og)
	}
	if err := checkBias(c, 3, cv.filters); err != nil {
		return err
	}
	taps := ir.Size(cv.kernel).Mul(ir.C(og))
	if err := checkTaps(c, 2, taps.Mul(ir.C(len(cv.in))), &cv); err != nil {
		return err
	}
	if c.Arg(deformConvMask) != nil {
		if err := checkTaps(c, 4, taps, &cv); err != nil {
			return err
		}
	}
	c.Assume(op.Agreement{What: channelsOf(c.In[deformConvX]), Got: cv.channels, Want: cv.channels.Div(ir.C(og)).Mul(ir.C(og))})
	c.OutTensor(0, x.Elem, cv.shape()...)
	return nil
}

// checkTaps checks an input that has n channels for each place of the output.
func checkTaps(c *op.Infer, i int, n ir.Dim, cv *conv) error {
	if _, err := c.Rank(i, len(cv.in)+2); err != nil {
		return err
	}
	return c.AgreeShape(i, append([]ir.Dim{cv.images, n}, cv.out...))
}

func lowerDeformConv(l *op.Lowering) error {
	cv, err := newConv(l.Node, 0, 1)
	if err != nil {
		return err
	}
	cols := l.Scratch(l.Out[0].Type.Elem, cv.channels, ir.Size(cv.kernel), ir.Size(cv.out))
	l.Call("DeformConv", l.Out[0], l.In[deformConvX], l.In[deformConvW], l.In[deformConvOffset], l.Arg(deformConvB), l.Arg(deformConvMask), cols, op.Struct{Type: "DeformShape", Fields: []op.Field{
		{Name: "Images", Value: cv.images}, {Name: "Channels", Value: cv.channels}, {Name: "Filters", Value: cv.filters},
		{Name: "Groups", Value: cv.groups}, {Name: "OffsetGroups", Value: l.Int("offset_group")},
		{Name: "Window", Value: cv.arg()},
	}})
	return nil
}

// expandDeformConv returns a convolution with filters of one element over the sampled elements.
func expandDeformConv(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	w := n.In[deformConvW]
	kernel, ok := ir.Static(op.Shape(w)[2:])
	if !ok {
		return nil, fmt.Errorf("filters are %s, want known sizes of the kernel", w.Type)
	}
	attrs := op.Attrs("kernel_shape", kernel)
	for _, a := range n.Attrs {
		if a.Name != "group" && a.Name != "kernel_shape" {
			attrs.Set(a.Name, a.Value)
		}
	}
	from := []*ir.Value{n.In[deformConvX], n.In[deformConvOffset]}
	if n.Arg(deformConvMask) != nil {
		from = append(from, n.In[deformConvMask])
	}
	cols := op.OwnNode(b, "DeformSample", attrs, from...)
	flat := b.Op("Reshape", w, b.Ints(append([]int{0, -1}, slices.Repeat([]int{1}, len(kernel))...)...))
	in := []*ir.Value{cols, flat}
	if n.Arg(deformConvB) != nil {
		in = append(in, n.In[deformConvB])
	}
	return []*ir.Value{b.OpA("Conv", op.Attrs("group", n.Int("group")), in...)}, nil
}

// deformAttrs are the attributes of [DeformConv], which others have, too.
var deformAttrs = []op.Attr{
	{Name: "dilations", Kind: op.Ints},
	{Name: "group", Kind: op.Int, Default: 1},
	{Name: "kernel_shape", Kind: op.Ints},
	{Name: "offset_group", Kind: op.Int, Default: 1},
	{Name: "pads", Kind: op.Ints},
	{Name: "strides", Kind: op.Ints},
}
