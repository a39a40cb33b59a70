package op

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// DeformConv is a convolution whose taps are moved by offsets, one for each
// place, and weighted by a mask.
//
// https://onnx.ai/onnx/operators/onnx__DeformConv.html
var DeformConv = &Op{
	Name:  "DeformConv",
	Since: []int{19, 22},
	Attrs: deformAttrs,
	Inputs: []Port{
		{Name: "X", Types: floats},
		{Name: "W", Like: "X"},
		{Name: "offset", Like: "X"},
		{Name: "B", Like: "X", Optional: true},
		{Name: "mask", Like: "X", Optional: true},
	},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferDeformConv,
	Lower:   lowerDeformConv,
	Agree:   agreeConv(0, 1),
	Widen:   true,

	Expand:  expandDeformConv,
	Expands: never,
}

func inferDeformConv(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	if _, err := c.Tensor(1); err != nil {
		return err
	}
	for i := range c.In {
		if c.Arg(i) == nil {
			continue
		}
		if err := likeInput0(c, i); err != nil {
			return err
		}
	}
	cv, err := newConv(c.Node, 0, 1)
	if err != nil {
		return err
	}
	og := c.Int("offset_group")
	n, ok := cv.channels.Const()
	if og < 1 || og > maxStep || ok && n%og != 0 {
		return fmt.Errorf("%s channels do not make %d offset groups", cv.channels, og)
	}
	if err := checkBias(c, 3, cv.filters); err != nil {
		return err
	}
	taps := ir.Size(cv.kernel).Mul(ir.C(og))
	if err := checkTaps(c, 2, taps.Mul(ir.C(len(cv.in))), &cv); err != nil {
		return err
	}
	if c.Arg(4) != nil {
		if err := checkTaps(c, 4, taps, &cv); err != nil {
			return err
		}
	}
	c.Assume(Agreement{What: channelsOf(c.In[0]), Got: cv.channels, Want: cv.channels.Div(ir.C(og)).Mul(ir.C(og))})
	c.OutTensor(0, x.Elem, cv.shape()...)
	return nil
}

// checkTaps checks an input that has n channels for each place of the output.
func checkTaps(c *Infer, i int, n ir.Dim, cv *conv) error {
	if _, err := c.Rank(i, len(cv.in)+2); err != nil {
		return err
	}
	return c.agreeShape(i, append([]ir.Dim{cv.images, n}, cv.out...))
}

func lowerDeformConv(l *Lowering) error {
	cv, err := newConv(l.Node, 0, 1)
	if err != nil {
		return err
	}
	cols := l.Scratch(l.Out[0].Type.Elem, cv.channels, ir.Size(cv.kernel), ir.Size(cv.out))
	l.Call("DeformConv", l.Out[0], l.In[0], l.In[1], l.In[2], l.Arg(3), l.Arg(4), cols,
		cv.images, cv.channels, cv.filters, cv.groups, l.Int("offset_group"), cv.arg())
	return nil
}

// expandDeformConv is the elements that the taps find, and filters of one element
// over them.
func expandDeformConv(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	w := n.In[1]
	kernel, ok := ir.Static(Shape(w)[2:])
	if !ok {
		return nil, fmt.Errorf("filters are %s, want known sizes of the kernel", w.Type)
	}
	attrs := append(ir.Attrs{}, n.Attrs...)
	attrs.Delete("group")
	attrs.Set("kernel_shape", attrValue(kernel))
	from := []*ir.Value{n.In[0], n.In[2]}
	if n.Arg(4) != nil {
		from = append(from, n.In[4])
	}
	cols := own(b, "DeformSample", attrs, from...)
	flat := b.Op("Reshape", w, b.Ints(append([]int{0, -1}, slices.Repeat([]int{1}, len(kernel))...)...))
	in := []*ir.Value{cols, flat}
	if n.Arg(3) != nil {
		in = append(in, n.In[3])
	}
	return []*ir.Value{b.OpA("Conv", attr("group", n.Int("group")), in...)}, nil
}

// deformAttrs are the attributes of [DeformConv], which others have, too.
var deformAttrs = []Attr{
	{Name: "dilations", Kind: Ints},
	{Name: "group", Kind: Int, Default: 1},
	{Name: "kernel_shape", Kind: Ints},
	{Name: "offset_group", Kind: Int, Default: 1},
	{Name: "pads", Kind: Ints},
	{Name: "strides", Kind: Ints},
}
