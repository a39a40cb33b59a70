package conv

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [DeformSample].
const (
	deformSampleX = iota
	deformSampleOffset
	deformSampleMask
)

// DeformSample samples the elements that a [DeformConv] multiplies with its filters: an image for each
// channel and tap. Its inputs are the image, the offsets and the mask.
var DeformSample = &op.Op{
	Name:   "DeformSample",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  op.NewestAttrs(deformAttrs),
	Inputs: []op.Port{
		deformSampleX:      {Name: "X", Types: elem.Floats},
		deformSampleOffset: {Name: "offset", Like: "X"},
		deformSampleMask:   {Name: "mask", Like: "X", Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferDeformSample,
	Grad:    deformSampleGrad,
	Lower:   lowerDeformSample,
	Widen:   true,
}

// samples returns the window of a node's taps over an image.
func samples(n *ir.Node, x *ir.Value) (window, error) {
	var kernel []ir.Dim
	for _, k := range n.Ints("kernel_shape") {
		kernel = append(kernel, ir.C(k))
	}
	w, err := spatial(n, op.Shape(x)[2:], kernel)
	if err != nil {
		return w, err
	}
	err = w.slide(false)
	return w, err
}

func inferDeformSample(c *op.Infer) error {
	x, err := c.FloatTensor(deformSampleX)
	if err != nil {
		return err
	}
	if len(x.Shape) < 3 {
		return fmt.Errorf("input %q is %s, want rank 3 at least", c.In[deformSampleX].Name, x)
	}
	w, err := samples(c.Node, c.In[deformSampleX])
	if err != nil {
		return err
	}
	groups := c.Int("offset_group")
	if n, ok := x.Shape[1].Const(); groups < 1 || groups > op.MaxStep || ok && n%groups != 0 {
		return fmt.Errorf("%s channels do not make %d offset groups", x.Shape[1], groups)
	}
	taps := ir.Size(w.kernel).Mul(ir.C(groups))
	if err := checkTaps(c, 1, taps.Mul(ir.C(len(w.in))), &conv{window: w, images: x.Shape[0]}); err != nil {
		return err
	}
	if c.Arg(deformSampleMask) != nil {
		if err := checkTaps(c, 2, taps, &conv{window: w, images: x.Shape[0]}); err != nil {
			return err
		}
	}
	channels := x.Shape[1].Mul(ir.Size(w.kernel))
	c.OutTensor(0, x.Elem, append([]ir.Dim{x.Shape[0], channels}, w.out...)...)
	return nil
}

func lowerDeformSample(l *op.Lowering) error {
	x := l.In[deformSampleX]
	w, err := samples(l.Node, x)
	l.Call("DeformSample", l.Out[0], x, l.In[deformSampleOffset], l.Arg(deformSampleMask), op.Struct{Type: "DeformShape", Fields: []op.Field{
		{Name: "Images", Value: op.Shape(x)[0]}, {Name: "Channels", Value: op.Shape(x)[1]},
		{Name: "OffsetGroups", Value: l.Int("offset_group")}, {Name: "Window", Value: w.arg()},
	}})
	return err
}

// dx, doffset, dmask: by the weight of each element in each sample, and the derivative of that by the
// position
func deformSampleGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return op.OwnNodes(b, "DeformSampleGrad", len(n.In), n.Attrs, append([]*ir.Value{dy[0]}, n.In...)...)
}
