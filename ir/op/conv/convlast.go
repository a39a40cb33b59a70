package conv

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/ir/target"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [ConvLast] and [FusedConv].
const (
	convLastX = iota
	convLastW
	convLastB
	convLastResidual
)

// ConvLast is [FusedConv] for images with the channels last, [N, …, C], and constant filters [M, C/group, …].
// Images, residual and result are float32. With the attribute planes, only the input has its channels first,
// as in ONNX: its few channels are treated as a spatial axis that a window covers. With the attribute
// winograd, it is computed with Winograd's transforms, for tiles of 4×4 pixels if it is [LargeTiles], and of 2×2 if it is [SmallTiles], if these are applicable: see [WinogradSuits].
var ConvLast = &op.Op{
	Name:   "ConvLast",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  convLastAttrs,
	Inputs: []op.Port{
		convLastX:        {Name: "X", Types: elem.Float32s},
		convLastW:        {Name: "W", Types: elem.Float32s},
		convLastB:        {Name: "B", Types: elem.Float32s, Optional: true},
		convLastResidual: {Name: "residual", Types: elem.Float32s, Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Types: elem.Float32s}},
	Infer:   inferConvLast,
	Lower:   lowerConvLast,
	Agree:   agreeConvLast,
	FLOPs:   convWork,
	Stops:   op.StopAfterGradients,
}

// channelsFirst returns ONNX's shape for a shape with the channels last.
func channelsFirst(last []ir.Dim) []ir.Dim {
	if len(last) < 2 {
		return last
	}
	c := len(last) - 1
	return append([]ir.Dim{last[0], last[c]}, last[1:c]...)
}

// channelsLast undoes [channelsFirst].
func channelsLast(first []ir.Dim) []ir.Dim {
	if len(first) < 2 {
		return first
	}
	return append(append([]ir.Dim{first[0]}, first[2:]...), first[1])
}

func inferConvLast(c *op.Infer) error {
	x, err := c.Tensor(convLastX)
	if err != nil {
		return err
	}
	w, err := c.Tensor(convLastW)
	if err != nil {
		return err
	}
	if x.Elem != tensor.Float32 || w.Elem != tensor.Float32 || !c.In[convLastW].IsConst() {
		return fmt.Errorf("input is %s, filters are %s, want float32 and constant filters", x, w)
	}
	cv, err := convLastOf(c.Node)
	if err != nil {
		return err
	}
	if err := checkBias(c, 2, cv.filters); err != nil {
		return err
	}
	shape := channelsLast(cv.shape())
	if v := c.Arg(convLastResidual); v != nil && (v.Type.Elem != x.Elem || !ir.SameShape(op.Shape(v), shape)) {
		return fmt.Errorf("the residual is %s, want %s", v.Type, ir.TensorOf(x.Elem, shape...))
	}
	c.OutTensor(0, x.Elem, shape...)
	_, err = op.Activation(c.Node)
	return err
}

// convLastOf returns the convolution of a ConvLast.
func convLastOf(n *ir.Node) (conv, error) { return convOf(n, lastImages(n), op.Shape(n.In[convLastW])) }

// lastImages returns the shape of a ConvLast's images with the channels first.
func lastImages(n *ir.Node) []ir.Dim {
	if n.Int("planes") != 0 {
		return op.Shape(n.In[op.X])
	}
	return channelsFirst(op.Shape(n.In[op.X]))
}

func lowerConvLast(l *op.Lowering) error {
	y, x, w, bias, res := l.Out[0], l.In[convLastX], l.In[convLastW], l.Arg(convLastB), l.Arg(convLastResidual)
	cv, err := convLastOf(l.Node)
	if err != nil {
		return err
	}
	act, err := op.Activation(l.Node)
	if err != nil {
		return err
	}
	filters, depth := w.Const.Shape[0], w.Const.Shape[1]
	taps := w.Const.Len() / max(filters*depth, 1)
	switch {
	case l.Int("planes") != 0:
		p := op.Packed{Value: w, Packer: "PackConv32", Dims: []int{filters, 1, depth * taps, 1}}
		l.Call("ConvLast32", y, x, p, bias, res, convShape(cv.images, 1, filters, 1, cv.overPlanes().arg()), act)
	case cv.groups == 1 && cv.onePlace():
		rows := ir.Size(op.Shape(x)[:len(op.Shape(x))-1])
		p, shape := op.Packed{Value: w, Packer: "PackB32T", Dims: []int{depth, filters}}, op.MatMulShape(rows, depth, filters)
		if !l.StoredProduct(y, x, p, bias, res, shape, act) {
			l.Call("MatMulPackedAdd32", y, x, p, bias, res, shape, act)
		}
	case cv.eachChannel() && cv.groups > 1:
		p := op.Packed{Value: w, Packer: "PackDepthwise32", Dims: []int{filters, taps}}
		kernel := "Depthwise32"
		if taps == 1 {
			kernel = "ScaleLast32"
		}
		l.Call(kernel, y, x, p, bias, res, depthwiseShape(cv.images, filters, cv.arg()), act)
	case l.Int("winograd") != 0:
		l.Call("Winograd32", y, x, winogradFilters(w, cv.groups, l.Int("winograd") == SmallTiles), bias, res, convShape(cv.images, cv.channels, filters, cv.groups, cv.arg()), act)
	case cv.adjacent(w, res, target.Or(l.Target)) > 1:
		places := cv.adjacent(w, res, target.Or(l.Target))
		l.Call("ConvLastAdjacent32", y, x, cv.adjacentFilters(w, places), bias, convShape(cv.images, cv.channels, filters, 1, cv.arg()), places, act)
	default:
		l.Call("ConvLast32", y, x, convFilters(w, cv.groups), bias, res, convShape(cv.images, cv.channels, filters, cv.groups, cv.arg()), act)
	}
	return nil
}

// overPlanes returns the window with one axis more in front, the channels, of which it
// covers all.
func (c *conv) overPlanes() *window {
	in := func(d ir.Dim, ds []ir.Dim) []ir.Dim { return append([]ir.Dim{d}, ds...) }
	zero, one := ir.C(0), ir.C(1)
	return &window{in: in(c.channels, c.in), out: in(one, c.out), kernel: in(c.channels, c.kernel), stride: in(one, c.stride),
		dilation: in(one, c.dilation), pad: in(zero, c.pad), padEnd: in(zero, c.padEnd)}
}

// convFilters are filters as ConvLast32 reads them.
func convFilters(w *ir.Value, groups int) op.Packed {
	filters, depth := w.Const.Shape[0], w.Const.Shape[1]
	return op.Packed{Value: w, Packer: "PackConv32", Dims: []int{filters, depth, w.Const.Len() / max(filters*depth, 1), groups}}
}

// The values of the attribute winograd of a convolution that is computed with Winograd's transforms.
const (
	LargeTiles = 1 // of 4×4 pixels
	SmallTiles = 2 // of 2×2
)

// winogradFilters are filters as Winograd32 reads them, for tiles of 4×4 pixels or for small ones.
func winogradFilters(w *ir.Value, groups int, small bool) op.Derived {
	d := op.Derived{Packed: convFilters(w, groups), Maker: "WinogradFilters32", Sizes: []int{w.Const.Shape[1], w.Const.Shape[0]}}
	switch {
	case small:
		d.Maker, d.Sizes = "WinogradSmall32", append(d.Sizes, groups)
	case groups > 1:
		d.Maker, d.Sizes = "WinogradGroups32", append(d.Sizes, groups)
	}
	return d
}

// eachChannel reports whether every channel has a filter of its own.
func (c *conv) eachChannel() bool {
	return c.channels.Is(c.groups) && c.filters.Is(c.groups) && len(c.in) <= 2
}

// onePlace reports whether each output reads the input at its own place only.
func (w *window) onePlace() bool {
	for i := range w.in {
		if !w.kernel[i].Is(1) || !w.stride[i].Is(1) || !w.pad[i].Is(0) || !w.padEnd[i].Is(0) {
			return false
		}
	}
	return true
}

// everyPixel reports whether windows of side×side adjacent taps are applied at every pixel of an image.
func (w *window) everyPixel(side int) bool {
	for i := range w.in {
		if !w.kernel[i].Is(side) || !w.stride[i].Is(1) || !w.dilation[i].Is(1) {
			return false
		}
	}
	return len(w.in) == 2
}

// WinogradSizes are the sizes that determine the cost of a convolution with Winograd's transforms: pixels of
// the result, groups, and channels of both sides of each group. A symbolic size of an image is what the target assumes.
type WinogradSizes struct{ Height, Width, Channels, Filters, Groups int }

// String formats the sizes for messages.
func (s WinogradSizes) String() string {
	text := fmt.Sprintf("3×3, %d to %d channels, %d×%d pixels", s.Channels, s.Filters, s.Height, s.Width)
	if s.Groups > 1 {
		text += fmt.Sprintf(", %d groups", s.Groups)
	}
	return text
}

// freePixels returns the function that gives each symbolic size the value that a target assumes.
func freePixels(t *target.Target) func(string) (int, bool) {
	return func(string) (int, bool) { return target.Or(t).Free.Pixels, true }
}

// WinogradSuits reports whether a ConvLast can be computed by Winograd's
// transforms: whether its filters have 3×3 taps and are applied at every pixel. The sizes are for the costs on a target.
func WinogradSuits(n *ir.Node, t *target.Target) (s WinogradSizes, ok bool) {
	if n.Op != "ConvLast" || n.Domain != op.Own {
		return s, false
	}
	w := n.In[convLastW]
	cv, err := convLastOf(n)
	if err != nil || n.Int("planes") != 0 || !cv.everyPixel(3) {
		return s, false
	}
	var ok1, ok2 bool
	s.Height, ok1 = cv.out[0].Eval(freePixels(t))
	s.Width, ok2 = cv.out[1].Eval(freePixels(t))
	s.Filters, s.Channels, s.Groups = w.Const.Shape[0]/cv.groups, w.Const.Shape[1], cv.groups
	return s, ok1 && ok2 && min(s.Channels, s.Filters) >= t.Limits.Winograd
}

// convLastAttrs are those of [Conv], the activation, and the layouts of images and filters.
var convLastAttrs = op.NewestAttrs(convAttrs,
	op.Attr{Name: "activation", Kind: op.String, Default: ""},
	op.Attr{Name: "planes", Kind: op.Int, Default: 0},
	op.Attr{Name: "winograd", Kind: op.Int, Default: 0},
)
