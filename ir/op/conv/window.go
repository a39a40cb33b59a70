package conv

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// window describes how a kernel slides over the spatial axes of its input: output o reads input o·stride +
// k·dilation - pad for each k below kernel.
type window struct {
	in, out, kernel, stride, dilation, pad, padEnd []ir.Dim
}

// spatial reads the attributes of a node that slides a kernel over an input with the given spatial axes.
func spatial(n *ir.Node, in, kernel []ir.Dim) (window, error) {
	w := window{in: in, kernel: kernel}
	rank := len(in)
	if len(kernel) != rank {
		return w, fmt.Errorf("kernel has %d axes, want %d", len(kernel), rank)
	}
	for _, k := range kernel {
		if k, ok := k.Const(); ok && (k < 1 || k > op.MaxStep) {
			return w, fmt.Errorf("kernel is %v, want at least 1 on each axis", kernel)
		}
	}
	var err error
	if w.stride, err = steps(n, "strides", rank, 1, 1); err != nil {
		return w, err
	}
	if w.dilation, err = steps(n, "dilations", rank, 1, 1); err != nil {
		return w, err
	}
	pads, err := steps(n, "pads", 2*rank, 0, 0)
	if err != nil {
		return w, err
	}
	w.pad, w.padEnd = pads[:rank:rank], pads[rank:]
	err = w.autoPad(n.Str("auto_pad"))
	return w, err
}

// maxPadding is the largest number of places of an image with its padding for which that is no question: the copy that
// kernels make of it is small.
const maxPadding = 1 << 17

// copies reports whether kernels may copy an image with its padding: it has not many more places than the image. Pads and
// strides may be as large as a file says. An axis of unknown size counts as one place.
func (w *window) copies() bool {
	padded, places := 1., 1.
	for d, in := range w.in {
		n, ok := in.Const()
		if !ok {
			n = 1
		}
		before, _ := w.pad[d].Const()
		after, _ := w.padEnd[d].Const()
		places *= float64(n)
		padded *= float64(n) + float64(before) + float64(after)
	}
	return padded <= maxPadding+64*places
}

// checkCopies returns an error if kernels cannot copy an image, for operators whose kernels always do.
func (w *window) checkCopies() error {
	if !w.copies() {
		return fmt.Errorf("pads are %v and %v, too many for an image of %v places", w.pad, w.padEnd, w.in)
	}
	return nil
}

// copiesImages is [window.copies] for a convolution that has not been moved last yet.
func copiesImages(l *op.Last) bool {
	cv, err := convOf(l.Node, op.Shape(l.In[convX]), op.Shape(l.In[convW]))
	return err == nil && cv.copies()
}

// steps returns a list attribute with one value for each axis, none below least.
func steps(n *ir.Node, attr string, want, def, least int) ([]ir.Dim, error) {
	out := make([]ir.Dim, want)
	v := n.Ints(attr)
	if len(v) != 0 && len(v) != want {
		return nil, fmt.Errorf("%s has %d elements, want %d", attr, len(v), want)
	}
	for i := range out {
		x := def
		if len(v) != 0 {
			x = v[i]
		}
		if x < least || x > op.MaxStep {
			return nil, fmt.Errorf("%s is %v, want at least %d", attr, v, least)
		}
		out[i] = ir.C(x)
	}
	return out, nil
}

// autoPad replaces the pads by those that the attribute auto_pad selects.
func (w *window) autoPad(mode string) error {
	switch mode {
	case "NOTSET", "":
		return nil
	}
	for i, in := range w.in {
		total := ir.C(0)
		if mode != "VALID" {
			last := in.CeilDiv(w.stride[i]).Sub(ir.C(1)).Mul(w.stride[i])
			total = last.Add(w.extent(i)).Sub(in).Max(ir.C(0))
		}
		w.split(i, total, mode == "SAME_LOWER")
	}
	return nil
}

// split distributes a total padding over both ends of an axis. If it is odd, the additional element is at the
// beginning if lower is true.
func (w *window) split(axis int, total ir.Dim, lower bool) {
	w.pad[axis] = total.Div(ir.C(2))
	if lower {
		w.pad[axis] = total.Sub(w.pad[axis])
	}
	w.padEnd[axis] = total.Sub(w.pad[axis])
}

// extent returns the number of elements of the input that the kernel spans on an axis.
func (w *window) extent(axis int) ir.Dim {
	return w.kernel[axis].Sub(ir.C(1)).Mul(w.dilation[axis]).Add(ir.C(1))
}

// slide sets the sizes of the output. With ceil, windows may reach beyond the
// padding, but begin before it ends.
func (w *window) slide(ceil bool) error {
	w.out = make([]ir.Dim, len(w.in))
	one := ir.C(1)
	for i, in := range w.in {
		room := in.Add(w.pad[i]).Add(w.padEnd[i]).Sub(w.extent(i))
		if n, ok := room.Const(); ok && n < 0 {
			return fmt.Errorf("kernel spans %s elements of axis %d, which has %s with its padding", w.extent(i), i, room.Add(w.extent(i)))
		}
		w.out[i] = room.Div(w.stride[i]).Add(one)
		if ceil {
			w.out[i] = room.CeilDiv(w.stride[i]).Add(one).Min(in.Add(w.pad[i]).CeilDiv(w.stride[i]))
		}
	}
	return nil
}

// shapeArg returns the convolution as an argument of kernels.
func (cv *conv) shapeArg() op.Struct {
	return convShape(cv.images, cv.channels, cv.filters, cv.groups, cv.arg())
}

func convShape(images, channels, filters, groups any, win op.Struct) op.Struct {
	return op.Struct{Type: "ConvShape", Fields: []op.Field{
		{Name: "Images", Value: images}, {Name: "Channels", Value: channels}, {Name: "Filters", Value: filters},
		{Name: "Groups", Value: groups}, {Name: "Window", Value: win},
	}}
}

// depthwiseShape returns a convolution of each channel by itself as an argument of kernels.
func depthwiseShape(images, channels any, win op.Struct) op.Struct {
	return op.Struct{Type: "DepthwiseShape", Fields: []op.Field{{Name: "Images", Value: images}, {Name: "Channels", Value: channels}, {Name: "Window", Value: win}}}
}

// arg returns the window as an argument of kernels.
func (w *window) arg() op.Struct {
	return op.Struct{Type: "Window", Fields: []op.Field{
		{Name: "In", Value: w.in}, {Name: "Out", Value: w.out}, {Name: "Kernel", Value: w.kernel}, {Name: "Stride", Value: w.stride},
		{Name: "Dilation", Value: w.dilation}, {Name: "Pad", Value: w.pad}, {Name: "PadEnd", Value: w.padEnd},
	}}
}
