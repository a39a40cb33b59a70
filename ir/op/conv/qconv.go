package conv

import (
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/ir/target"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [QConv] and [QConvLast].
const (
	qConvX = iota
	qConvW
	qConvAdd
	qConvMult
	qConvShift
)

// QConv is a convolution of bytes with constant filters of int8. Its sums are transformed as in
// [linear.QMatMul]: add, mult and shift have an element for each filter. It has the attributes of [Conv]. The
// attribute "padding" is the value of x beyond its bounds.
var QConv = &op.Op{
	Name:   "QConv",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  qConvAttrs,
	Inputs: []op.Port{
		qConvX:     {Name: "x", Types: elem.Bytes},
		qConvW:     {Name: "w"},
		qConvAdd:   {Name: "add", Types: elem.Int32s},
		qConvMult:  {Name: "mult", Types: elem.Float32s, Optional: true},
		qConvShift: {Name: "shift", Types: elem.Int32s, Optional: true},
	},
	Outputs: []op.Port{{Name: "y"}},
	Infer:   inferQConv,
	Lower:   lowerQConv,
	Agree:   agreeConv(0, 1),
	FLOPs:   convWork,
	Stops:   op.StopAfterGradients,
	Last:    &op.LastForm{Build: lastQConv, Starts: true},
}

// QConvLast is [QConv] for images with the channels last. The filters are as for QConv. With the attribute
// planes, the images are as for [ConvLast].
var QConvLast = &op.Op{
	Name:   "QConvLast",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  op.NewestAttrs(qConvAttrs, op.Attr{Name: "planes", Kind: op.Int, Default: 0}),
	Inputs: []op.Port{
		qConvX:     {Name: "x", Types: elem.Bytes},
		qConvW:     {Name: "w"},
		qConvAdd:   {Name: "add", Types: elem.Int32s},
		qConvMult:  {Name: "mult", Types: elem.Float32s, Optional: true},
		qConvShift: {Name: "shift", Types: elem.Int32s, Optional: true},
	},
	Outputs: []op.Port{{Name: "y"}},
	Infer:   inferQConvLast,
	Lower:   lowerQConvLast,
	Agree:   agreeConvLast,
	FLOPs:   convWork,
	Stops:   op.StopAfterGradients,
}

func inferQConv(c *op.Infer) error {
	cv, err := newConv(c.Node, 0, 1)
	if err != nil {
		return err
	}
	to, err := inferQuantizedConv(c, cv)
	c.OutTensor(0, to, cv.shape()...)
	return err
}

func inferQConvLast(c *op.Infer) error {
	cv, err := convLastOf(c.Node)
	if err != nil {
		return err
	}
	to, err := inferQuantizedConv(c, cv)
	c.OutTensor(0, to, channelsLast(cv.shape())...)
	return err
}

func inferQuantizedConv(c *op.Infer, cv conv) (tensor.DType, error) {
	if _, err := c.ByteTensor(qConvX); err != nil {
		return 0, err
	}
	if len(cv.in) == 0 {
		return 0, fmt.Errorf("input %q has no axis of space", c.In[qConvX].Name)
	}
	if err := cv.checkCopies(); err != nil {
		return 0, err
	}
	return op.InferSums(c, cv.filters)
}

// lowerQConv moves the channels.
func lowerQConv(l *op.Lowering) error {
	cv, err := newConv(l.Node, 0, 1)
	if err != nil {
		return err
	}
	x, y := l.In[qConvX], l.Out[0]
	rank := len(op.Shape(x))
	last, sums := l.Scratch(x.Type.Elem, channelsLast(op.Shape(x))...), l.Scratch(y.Type.Elem, channelsLast(op.Shape(y))...)
	there, back := []int{0}, []int{0, rank - 1}
	for i := 1; i < rank-1; i++ {
		there, back = append(there, i+1), append(back, i)
	}
	l.Call("Transpose", last, x, op.Shape(x), append(there, 1))
	callQConv(l, sums, last, cv)
	l.Call("Transpose", y, sums, op.Shape(sums), back)
	return nil
}

func lowerQConvLast(l *op.Lowering) error {
	cv, err := convLastOf(l.Node)
	if err != nil {
		return err
	}
	callQConv(l, l.Out[0], l.In[qConvX], cv)
	return nil
}

// callQConv convolves x, which has its channels last.
func callQConv(l *op.Lowering, y, x *ir.Value, cv conv) {
	w, add, mult, shift := l.In[qConvW], l.In[qConvAdd], l.Arg(qConvMult), l.Arg(qConvShift)
	padding := l.Int("padding")
	f := quantFilters(l.Node, cv, shift)
	switch {
	case cv.groups == 1 && cv.onePlace():
		rows, depth := ir.Size(op.Shape(x)[:len(op.Shape(x))-1]), w.Const.Shape[1]
		l.Call("QMatMul", y, x, op.Packed{Value: w, Packer: "PackB8T", Dims: []int{depth, f.count}}, op.Requant(l.Node, add, mult, shift), op.MatMulShape(rows, depth, f.count))
	case f.depthwise:
		l.Call("QDepthwise", y, x, f.Packed, op.Requant(l.Node, add, mult, nil), padding, depthwiseShape(cv.images, f.count, f.arg()))
	case f.transforms:
		l.Call("QConvWinograd", y, x, f.Packed, f.transformed(w, cv, l.Target), op.Requant(l.Node, add, mult, shift), padding, convShape(cv.images, f.channels, f.count, 1, f.arg()))
	default:
		l.Call("QConv", y, x, f.Packed, op.Requant(l.Node, add, mult, shift), padding, convShape(cv.images, f.channels, f.count, cv.groups, f.arg()))
	}
}

// byteFilters are the filters of a convolution of bytes in the layout of its kernel, and the window.
type byteFilters struct {
	op.Packed
	window
	channels  ir.Dim
	count     int
	depthwise bool // each sees one channel

	transforms bool // Winograd's transforms of integers are applicable
}

// transformed are the filters as QConvWinograd reads them, if it is faster where the program runs.
func (f *byteFilters) transformed(w *ir.Value, cv conv, t *target.Target) op.Derived {
	height, _ := cv.out[0].Eval(freePixels(t))
	width, _ := cv.out[1].Eval(freePixels(t))
	return op.Derived{Packed: f.Packed, Maker: "WinogradFilters8", Sizes: []int{w.Const.Shape[1], f.count, height, width}}
}

// quantFilters returns the filters of n, which is the convolution cv. Filters of one channel each are packed
// without their shift. With the attribute planes, the channels are a spatial axis.
func quantFilters(n *ir.Node, cv conv, shift *ir.Value) byteFilters {
	w := n.In[qConvW]
	f := byteFilters{window: cv.window, channels: cv.channels, count: w.Const.Shape[0]}
	depth := w.Const.Shape[1]
	taps := w.Const.Len() / max(f.count*depth, 1)
	if n.Int("planes") != 0 {
		f.window, f.channels, depth, taps = *cv.overPlanes(), ir.C(1), 1, depth*taps
	}
	f.depthwise = cv.groups > 1 && cv.channels.Is(cv.groups) && f.count == cv.groups
	if f.depthwise {
		f.Packed = depthFilters(w, shift, f.count, taps)
	} else {
		f.Packed = op.Packed{Value: w, Packer: "PackConv8", Dims: []int{f.count, depth, taps, joinedTaps(&f.window, cv.groups), cv.groups}}
		f.transforms = cv.groups == 1 && depth%wordLanes == 0 && f.count%wordLanes == 0 && f.everyPixel(3)
	}
	return f
}

// wordLanes is the number of channels and filters that kernels transform at once.
const wordLanes = 16

// joinedTaps returns the value of the kernel's JoinedTaps.
func joinedTaps(w *window, groups int) int {
	last := len(w.kernel) - 1
	if k, ok := w.kernel[last].Const(); ok && groups == 1 && w.dilation[last].Is(1) {
		return k
	}
	return 1
}

// depthFilters returns filters of one channel each, minus their shift. A value that does not fit into int8 is
// the sum of several taps.
func depthFilters(w, shift *ir.Value, filters, taps int) op.Packed {
	wide, parts := make([]int16, w.Const.Len()), 1
	for i, v := range tensor.Data[int8](w.Const) {
		wide[i] = int16(v)
		if shift != nil {
			wide[i] -= int16(tensor.Data[int32](shift.Const)[i/taps])
		}
		for int(wide[i]) > parts*math.MaxInt8 || int(wide[i]) < parts*math.MinInt8 {
			parts++
		}
	}
	all := ir.NewConst(w.Name, tensor.Of(wide, w.Const.Shape...))
	return op.Packed{Value: all, Packer: "PackTaps8", Dims: []int{filters, taps, parts}}
}

// qConvAttrs are those of [Conv], and those for the sums.
var qConvAttrs = op.NewestAttrs(convAttrs,
	op.Attr{Name: "padding", Kind: op.Int, Default: 0},
	op.Attr{Name: "relu", Kind: op.Int, Default: 0},
	op.Attr{Name: "to", Kind: op.Int, Default: 1},
	op.Attr{Name: "zero", Kind: op.Int, Default: 0},
)

// lastQConv has all it needs but the images as it is.
func lastQConv(l *op.Last) *ir.Value {
	in, attrs := slices.Clone(l.In), slices.Clone(l.Attrs)
	if planes(l) {
		attrs.Set("planes", int64(1))
	} else if in[0] = l.Of(in[0]); in[0] == nil {
		return nil
	}
	return l.Own("QConvLast", attrs, in...)
}
