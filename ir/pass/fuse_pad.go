package pass

import (
	"math"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// padInto moves the pads of a Pad into the convolution or pool after it, if that pads with the same value.
func padInto(f *fuser, n *ir.Node) *ir.Value {
	d := f.sole(n.In[op.X], "Pad")
	auto := n.Str("auto_pad")
	if d == nil || d.Str("mode") != "constant" || auto != "NOTSET" && auto != "" || n.Int("ceil_mode") != 0 {
		return nil
	}
	pads := padsOf(d)
	if pads == nil {
		return nil
	}
	own := n.Ints("pads")
	sum := make([]int, len(pads))
	for i, p := range pads {
		if sum[i] = p; own != nil {
			sum[i] += own[i]
		}
	}
	attrs := slices.Clone(n.Attrs)
	attrs.Set("pads", int64s(sum))
	value := padValue(d)
	switch n.Op {
	case "Conv":
		if value != 0 {
			return nil
		}
	case "AveragePool":
		if value != 0 || n.Int("count_include_pad") == 0 && !allZero(own) {
			return nil
		}
		attrs.Set("count_include_pad", int64(1))
	case "MaxPool": // it pads with -∞, which is less than the zeros of a Relu: equal if each window has one of these
		relu := value == 0 && f.def(d.In[op.X], "Relu") != nil && reachesInside(n, sum, d.In[op.X].Type.Shape[2:])
		if !math.IsInf(value, -1) && !relu {
			return nil
		}
	}
	in := append([]*ir.Value{d.In[op.X]}, n.In[1:]...)
	return f.b.OpA(n.Op, attrs, in...)
}

// reachesInside reports whether each window of a pool of images of the given sizes, with the given pads, has an element that is
// no pad. One with dilations may have pads only, on both sides of an image, and so has one of an image without pixels, unless
// its pads are too few for a window.
func reachesInside(n *ir.Node, pads []int, sizes []ir.Dim) bool {
	kernel := n.Ints("kernel_shape")
	if slices.ContainsFunc(n.Ints("dilations"), func(d int) bool { return d != 1 }) {
		return false
	}
	for i, k := range kernel {
		before, after := pads[i], pads[len(kernel)+i]
		size, isStatic := sizes[i].Const()
		if max(before, after) >= k || before+after >= k && (!isStatic || size == 0) {
			return false
		}
	}
	return true
}

// int64s returns x as the value of an attribute.
func int64s(x []int) []int64 {
	out := make([]int64, len(x))
	for i, v := range x {
		out[i] = int64(v)
	}
	return out
}

// padsOf returns the constant pads of the spatial axes of a Pad: those before, followed by those after. It is
// nil if the Pad pads other axes, or crops.
func padsOf(n *ir.Node) []int {
	rank := len(n.In[op.X].Type.Shape)
	elems, _ := op.Content(n.Arg(inPads))
	pads, ok := ir.Static(elems)
	if !ok || rank < 3 || len(pads) == 0 {
		return nil
	}
	axes := make([]int, rank)
	for i := range axes {
		axes[i] = i
	}
	if n.Arg(inPadAxes) != nil {
		elems, _ := op.Content(n.Arg(inPadAxes))
		if axes, ok = ir.Static(elems); !ok {
			return nil
		}
	}
	if len(pads) != 2*len(axes) {
		return nil
	}
	out := make([]int, 2*(rank-2))
	for i, p := range pads {
		axis := axes[i%len(axes)]
		if axis < 0 {
			axis += rank
		}
		switch {
		case p < 0 || axis < 2 && p != 0:
			return nil
		case axis >= 2:
			out[i/len(axes)*(rank-2)+axis-2] = p
		}
	}
	return out
}

// padValue returns the padding value of a Pad of floats, or NaN if it is not constant.
func padValue(n *ir.Node) float64 {
	if n.Arg(inPadValue) == nil {
		return 0
	}
	if c, ok := scalar(n.In[inPadValue]); ok {
		return c
	}
	return math.NaN()
}

// allZero reports whether x has only zeros.
func allZero(x []int) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}
