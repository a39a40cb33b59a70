package conv

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// ConvTranspose is the gradient of a convolution by its input: each input
// element adds the filters [C, M/group, …], scaled, to the output.
//
// https://onnx.ai/onnx/operators/onnx__ConvTranspose.html
var ConvTranspose = &op.Op{
	Name:  "ConvTranspose",
	Since: []int{1, 11, 22},
	Attrs: convTransposeAttrs,
	Inputs: []op.Port{
		convX: {Name: "X", Types: elem.Floats},
		convW: {Name: "W", Like: "X"},
		convB: {Name: "B", Like: "X", Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferConvTranspose,
	Grad:    convTransposeGrad,
	Lower:   lowerConvTranspose,
	Agree:   agreeConvTranspose,
	Last:    &op.LastForm{Build: lastConvTranspose, Starts: true},
	Widen:   true,
	FLOPs:   convTransposeWork,
}

func inferConvTranspose(c *op.Infer) error {
	x, err := c.Tensor(convX)
	if err != nil {
		return err
	}
	w, err := c.Tensor(convW)
	if err != nil {
		return err
	}
	if x.Elem != w.Elem {
		return fmt.Errorf("input is %s, filters are %s, want one type", x.Elem, w.Elem)
	}
	cv, err := newConvTranspose(c.Node)
	if err != nil {
		return err
	}
	if err := checkBias(c, 2, cv.filters); err != nil {
		return err
	}
	c.OutTensor(0, x.Elem, append([]ir.Dim{cv.images, cv.filters}, cv.in...)...)
	return nil
}

// newConvTranspose returns the convolution that has the node as its gradient: its window slides over the
// node's output and computes the node's input.
func newConvTranspose(n *ir.Node) (conv, error) {
	xs, ws := op.Shape(n.In[convX]), op.Shape(n.In[convW])
	if len(xs) < 3 || len(xs) != len(ws) {
		return conv{}, fmt.Errorf("input has rank %d, filters have rank %d, want the same and 3 or more", len(xs), len(ws))
	}
	plain := *n // its pads are not those of a sliding window
	plain.Attrs = nil
	for _, a := range n.Attrs {
		if a.Name != "auto_pad" {
			plain.Attrs.Set(a.Name, a.Value)
		}
	}
	win, err := spatial(&plain, xs[2:], ws[2:])
	if err != nil {
		return conv{}, err
	}
	groups := n.Int("group")
	cv := conv{win, xs[0], xs[1], ws[1].Mul(ir.C(groups)), groups}
	c, cok := cv.channels.Const()
	f, fok := ws[0].Const()
	switch {
	case groups < 1:
		return cv, fmt.Errorf("group is %d, want at least 1", groups)
	case cok && fok && c != f || cok && c%groups != 0:
		return cv, fmt.Errorf("%d channels in %d groups, filters for %s", c, groups, ws[0])
	}
	if err := sameKernel(n, ws[2:]); err != nil {
		return cv, err
	}
	err = cv.transpose(n)
	return cv, err
}

// transpose makes the window's input its output, and finds the sizes of its
// input and its pads.
func (w *window) transpose(n *ir.Node) error {
	extra, err := steps(n, "output_padding", len(w.in), 0, 0)
	if err != nil {
		return err
	}
	shape, err := outputShape(n, w.in)
	if err != nil {
		return err
	}
	auto := n.Str("auto_pad")
	w.out, w.in = w.in, make([]ir.Dim, len(w.in))
	for i, x := range w.out {
		full := x.Sub(ir.C(1)).Mul(w.stride[i]).Add(extra[i]).Add(w.extent(i))
		switch {
		case shape != nil:
			w.in[i] = shape[i]
		case auto == "SAME_UPPER" || auto == "SAME_LOWER":
			w.in[i] = x.Mul(w.stride[i])
		case auto == "VALID":
			w.pad[i], w.padEnd[i] = ir.C(0), ir.C(0)
			w.in[i] = full
			continue
		case auto == "NOTSET" || auto == "":
			w.in[i] = full.Sub(w.pad[i]).Sub(w.padEnd[i])
			if size, ok := w.in[i].Const(); ok && size < 0 {
				return fmt.Errorf("axis %d is %d with its pads taken off", i, size)
			}
			continue
		default:
			return fmt.Errorf("auto_pad is %q, want NOTSET, VALID, SAME_UPPER or SAME_LOWER", auto)
		}
		w.split(i, full.Sub(w.in[i]).Max(ir.C(0)), auto != "SAME_UPPER")
	}
	return nil
}

// outputShape returns the attribute of that name, of which only the spatial axes
// count.
func outputShape(n *ir.Node, in []ir.Dim) ([]ir.Dim, error) {
	s := n.Ints("output_shape")
	if len(s) == 0 {
		return nil, nil
	}
	if len(s) == len(in)+2 {
		s = s[2:]
	}
	if len(s) != len(in) {
		return nil, fmt.Errorf("output_shape has %d elements, want %d", len(s), len(in))
	}
	for _, d := range s {
		if d < 0 || d > op.MaxStep {
			return nil, fmt.Errorf("output_shape is %v, want no axis below 0", s)
		}
	}
	return ir.Cs(s...), nil
}

func lowerConvTranspose(l *op.Lowering) error {
	cv, err := newConvTranspose(l.Node)
	if err != nil {
		return err
	}
	w := l.In[convW]
	taps := ir.Size(cv.kernel)
	cols := l.Scratch(l.Out[0].Type.Elem, op.Shape(w)[1].Mul(taps), ir.Size(cv.out))
	l.Call("ConvTranspose", l.Out[0], l.In[convX], w, l.Arg(convB), cols, cv.shapeArg())
	return nil
}

// dx = the convolution of dy, dw sums x·dy over images and positions
func convTransposeGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x, w := n.In[convX], n.In[convW]
	cv, err := newConvTranspose(n)
	pads, ok := ir.Static(slices.Concat(cv.pad, cv.padEnd))
	if err != nil || !ok {
		return []*ir.Value{op.NoGrad, op.NoGrad, op.NoGrad}[:len(n.In)]
	}
	attrs := op.Attrs("group", n.Int("group"), "pads", pads)
	for _, name := range []string{"strides", "dilations"} {
		if n.Has(name) {
			attrs.Set(name, n.Attrs.Lookup(name))
		}
	}
	out := []*ir.Value{b.OpA("Conv", attrs, dy[0], w), op.OwnNode(b, "ConvGradWeight", attrs, x, dy[0], w)}
	if n.Arg(convB) != nil {
		out = append(out, op.SumToChannels(b, dy[0]))
	}
	return out
}

// convTransposeAttrs are the attributes of [ConvTranspose], which others have, too.
var convTransposeAttrs = []op.Attr{
	{Name: "auto_pad", Kind: op.String, Default: "NOTSET", Values: op.AutoPads},
	{Name: "dilations", Kind: op.Ints},
	{Name: "group", Kind: op.Int, Default: 1},
	{Name: "kernel_shape", Kind: op.Ints},
	{Name: "output_padding", Kind: op.Ints},
	{Name: "output_shape", Kind: op.Ints},
	{Name: "pads", Kind: op.Ints},
	{Name: "strides", Kind: op.Ints},
}

func lastConvTranspose(l *op.Last) *ir.Value {
	w := l.In[convW]
	if !w.IsConst() || w.Type.Elem != tensor.Float32 || l.Int("group") != 1 {
		return nil
	}
	in := slices.Clone(l.In)
	if in[0] = l.Of(in[0]); in[0] == nil {
		return nil
	}
	return l.Own("ConvTransposeLast", l.Attrs, in...)
}

// convTransposeWork multiplies and adds each element of a filter for each
// element of the input.
func convTransposeWork(n *ir.Node) ir.Dim {
	return ir.C(2).Mul(op.Len(n.In[convX])).Mul(ir.Size(op.Shape(n.In[convW])[1:]))
}
