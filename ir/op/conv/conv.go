package conv

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/ir/target"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [Conv], [ConvTranspose] and [ConvTransposeLast].
const (
	convX = iota
	convW
	convB
)

// Conv is a convolution over any number of spatial axes: of the images
// [N, C, …] with the filters [M, C/group, …].
//
// https://onnx.ai/onnx/operators/onnx__Conv.html
var Conv = &op.Op{
	Name:  "Conv",
	Since: []int{1, 11, 22},
	Attrs: convAttrs,
	Inputs: []op.Port{
		convX: {Name: "X", Types: elem.Floats},
		convW: {Name: "W", Like: "X"},
		convB: {Name: "B", Like: "X", Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferConv,
	Grad:    convGrad,
	Lower:   lowerConv,
	Agree:   agreeConv(0, 1),
	Last:    &op.LastForm{Build: lastConv, Starts: true},
	Widen:   true,
	FLOPs:   convWork,
}

// conv is the sizes of a convolution.
type conv struct {
	window
	images, channels, filters ir.Dim
	groups                    int
}

// newConv reads the sizes of a node. Its operands x and w are given by
// position.
func newConv(n *ir.Node, x, w int) (conv, error) {
	return convOf(n, op.Shape(n.In[x]), op.Shape(n.In[w]))
}

// convOf returns the convolution by a node's attributes of images and filters of the
// given shapes.
func convOf(n *ir.Node, xs, ws []ir.Dim) (conv, error) {
	var cv conv
	if len(xs) < 3 || len(xs) != len(ws) {
		return cv, fmt.Errorf("input has rank %d, filters have rank %d, want the same and 3 or more", len(xs), len(ws))
	}
	win, err := spatial(n, xs[2:], ws[2:])
	if err != nil {
		return cv, err
	}
	cv = conv{win, xs[0], xs[1], ws[0], n.Int("group")}
	if cv.groups < 1 {
		return cv, fmt.Errorf("group is %d, want at least 1", cv.groups)
	}
	if err := sameKernel(n, ws[2:]); err != nil {
		return cv, err
	}
	c, cok := cv.channels.Const()
	f, fok := ws[1].Const()
	if cok && fok && (c%cv.groups != 0 || c/cv.groups != f) {
		return cv, fmt.Errorf("filters take %d channels in each of %d groups, and the input has %d", f, cv.groups, c)
	}
	if m, ok := cv.filters.Const(); ok && m%cv.groups != 0 {
		return cv, fmt.Errorf("%d filters do not make %d groups", m, cv.groups)
	}
	err = cv.slide(false)
	return cv, err
}

// sameKernel checks the attribute that repeats the filters' shape.
func sameKernel(n *ir.Node, kernel []ir.Dim) error {
	ks := n.Ints("kernel_shape")
	if ks == nil {
		return nil
	}
	bad := len(ks) != len(kernel)
	for i := 0; i < len(ks) && !bad; i++ {
		k, ok := kernel[i].Const()
		bad = ok && k != ks[i]
	}
	if bad {
		return fmt.Errorf("kernel_shape is %v, the filters are %v", ks, kernel)
	}
	return nil
}

// shape returns the shape of the output.
func (cv *conv) shape() []ir.Dim { return append([]ir.Dim{cv.images, cv.filters}, cv.out...) }

func inferConv(c *op.Infer) error {
	x, err := c.Tensor(convX)
	if err != nil {
		return err
	}
	w, err := c.Tensor(convW)
	if err != nil {
		return err
	}
	if err := c.CheckElems(convX, elem.Floats); err != nil {
		return err
	}
	if x.Elem != w.Elem {
		return fmt.Errorf("input is %s, filters are %s, want one type", x.Elem, w.Elem)
	}
	cv, err := newConv(c.Node, 0, 1)
	if err != nil {
		return err
	}
	if err := checkBias(c, 2, cv.filters); err != nil {
		return err
	}
	c.OutTensor(0, x.Elem, cv.shape()...)
	return nil
}

// checkBias checks an optional vector of n elements.
func checkBias(c *op.Infer, i int, n ir.Dim) error {
	if c.Arg(i) == nil {
		return nil
	}
	b, err := c.Rank(i, 1)
	if err != nil {
		return err
	}
	if want := c.Type(op.X).Elem; b.Elem != want && b.Elem != tensor.Int32 {
		return fmt.Errorf("bias is %s, want %s", b.Elem, want)
	}
	if _, err := c.Agree(i, 0, n); err != nil {
		return fmt.Errorf("bias has %s elements, want %s", b.Shape[0], n)
	}
	return nil
}

func lowerConv(l *op.Lowering) error {
	cv, err := newConv(l.Node, 0, 1)
	if err != nil {
		return err
	}
	y, x, w := l.Out[0], l.In[convX], l.In[convW]
	if y.Type.Elem == tensor.Float32 {
		l.Call("Conv32", y, x, w, l.Arg(convB), cv.shapeArg(), op.Const("ActNone"))
		return nil
	}
	l.Call("Conv", y, x, w, l.Arg(convB), cv.shapeArg())
	return nil
}

// dx spreads dy by the filters, dw sums dy·x over images and places
func convGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x, w := n.In[convX], n.In[convW]
	dx := op.OwnNode(b, "ConvGradInput", n.Attrs, dy[0], w, x)
	dw := op.OwnNode(b, "ConvGradWeight", n.Attrs, dy[0], x, w)
	if n.Arg(convB) == nil {
		return []*ir.Value{dx, dw}
	}
	return []*ir.Value{dx, dw, op.SumToChannels(b, dy[0])}
}

// convAttrs are the attributes of [Conv], which others have, too.
var convAttrs = []op.Attr{
	{Name: "auto_pad", Kind: op.String, Default: "NOTSET", Values: op.AutoPads},
	{Name: "dilations", Kind: op.Ints},
	{Name: "group", Kind: op.Int, Default: 1},
	{Name: "kernel_shape", Kind: op.Ints},
	{Name: "pads", Kind: op.Ints},
	{Name: "strides", Kind: op.Ints},
}

func lastConv(l *op.Last) *ir.Value {
	if !l.In[convW].IsConst() || l.In[convW].Type.Elem != tensor.Float32 || !copiesImages(l) {
		return nil
	}
	in, attrs := slices.Clone(l.In), slices.Clone(l.Attrs)
	if planes(l) {
		attrs.Set("planes", int64(1))
	} else if in[convX] = l.Of(in[convX]); in[convX] == nil {
		return nil
	}
	if n := filtersOfEach(l); n > 1 {
		in[convX] = repeatChannels(l.B, in[convX], n)
		attrs.Set("group", int64(l.In[convW].Const.Shape[0]))
	}
	if r := l.Arg(convLastResidual); r != nil {
		if in[3] = l.Of(r); in[3] == nil {
			return nil
		}
	}
	return l.Own("ConvLast", attrs, in...)
}

// planes reports whether a convolution of few channels is faster if it reads them first than if they are
// moved last.
func planes(l *op.Last) bool {
	w := l.In[convW].Const.Shape
	taps := w[len(w)-1]
	return l.Moves(l.In[convX]) && w[1] > 1 && w[1] <= target.Or(l.Target).Limits.Planes && taps > 1 && l.Int("group") == 1
}

// mostRepeated is the largest number of filters of one channel for which its images are repeated: more of them fill a vector.
const mostRepeated = 8

// filtersOfEach returns how many filters each channel has, if each is a group of its own and kernels are faster for channels with
// one filter, or else 1.
func filtersOfEach(l *op.Last) int {
	w, groups := l.In[convW].Const.Shape, l.Int("group")
	if n := w[0] / max(groups, 1); groups > 1 && w[1] == 1 && len(w) <= 4 && n <= mostRepeated {
		return n
	}
	return 1
}

// repeatChannels returns images x, which have their channels last, with each channel n times.
func repeatChannels(b *ir.Builder, x *ir.Value, n int) *ir.Value {
	shape := op.Shape(x)
	channels, _ := shape[len(shape)-1].Const()
	each := b.Op("Unsqueeze", x, b.Ints(len(shape)))
	size := make([]int, len(shape)) // 0 keeps an axis
	size[len(size)-1] = channels * n
	return b.Op("Reshape", b.Op("Expand", each, b.Ints(n)), b.Ints(size...))
}

// convWork multiplies and adds each element of a filter for each element of the
// result.
func convWork(n *ir.Node) ir.Dim {
	return ir.C(2).Mul(op.OutLen(n)).Mul(ir.Size(op.Shape(n.In[convW])[1:]))
}

// convGradWork returns an [op.Op.FLOPs] that counts a multiplication and an addition for each element of a
// filter, which is input w, and each element of the incoming gradient.
func convGradWork(w int) func(n *ir.Node) ir.Dim {
	return func(n *ir.Node) ir.Dim {
		return ir.C(2).Mul(op.Len(n.In[op.X])).Mul(ir.Size(op.Shape(n.In[w])[1:]))
	}
}
