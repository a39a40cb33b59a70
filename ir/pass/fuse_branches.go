package pass

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// branch is a convolution of images with constant filters, as one of several that are added: networks are trained with windows of
// several sizes beside each other, and with a normalization of the images themselves ("RepVGG: Making VGG-style ConvNets Great
// Again", Ding et al. 2021, section 3.3).
type branch struct {
	node    *ir.Node // nil: the images are only scaled and shifted
	x       *ir.Value
	filters []float64 // [filters, channels of a group, …]
	shape   []int
	bias    []float64 // nil is zeros
	groups  int

	stride, dilation, pad []int // of each spatial axis; the pads are those before the image
}

// sumOfConvs computes one convolution instead of two of the same images whose results are added or subtracted, if all
// places of the one's windows are places of the other's.
func sumOfConvs(f *fuser, n *ir.Node) *ir.Value {
	if !n.In[op.A].Type.Equal(n.In[op.B].Type) || !isFloat(n.In[op.A]) {
		return nil
	}
	a, b := f.branch(n.In[op.A]), f.branch(n.In[op.B])
	if a == nil || b == nil || a.x != b.x {
		return nil
	}
	if n.Is("Sub") {
		b.negate()
	}
	if v := f.merged(a, b); v != nil {
		return v
	}
	return f.merged(b, a)
}

// branch reads what defines v. It returns nil if that is no convolution of floats with constant filters and no normalization
// with constant moments.
func (f *fuser) branch(v *ir.Value) *branch {
	if d := f.sole(v, "Conv"); d != nil {
		return convBranch(d)
	}
	d := f.def(v, "BatchNormalization")
	if d == nil || len(v.Type.Shape) < 3 {
		return nil
	}
	a, ok := affineOf(d, 0, 1)
	if !ok {
		return nil
	}
	axes, channels := len(v.Type.Shape)-2, len(a.scale)
	ones := slices.Repeat([]int{1}, axes)
	return &branch{
		x: d.In[op.X], filters: a.scale, shape: append([]int{channels, 1}, ones...), bias: a.shift, groups: channels,
		stride: ones, dilation: ones, pad: make([]int, axes),
	}
}

// convBranch is [fuser.branch] for a convolution.
func convBranch(d *ir.Node) *branch {
	w, c := d.In[inWeights], d.Arg(inBias)
	if auto := d.Str("auto_pad"); !hasNumbers(w) || c != nil && !hasNumbers(c) || auto != "NOTSET" && auto != "" {
		return nil
	}
	axes := len(w.Const.Shape) - 2
	list := func(attr string, def int) []int {
		if v := d.Ints(attr); len(v) >= axes {
			return v[:axes]
		}
		return slices.Repeat([]int{def}, axes)
	}
	return &branch{
		node: d, x: d.In[op.X], filters: numbers(w), shape: w.Const.Shape, bias: numbers(c), groups: d.Int("group"),
		stride: list("strides", 1), dilation: list("dilations", 1), pad: list("pads", 0),
	}
}

// negate changes the sign of the results of b.
func (b *branch) negate() {
	for _, x := range []*[]float64{&b.filters, &b.bias} {
		*x = slices.Clone(*x)
		for i := range *x {
			(*x)[i] = -(*x)[i]
		}
	}
}

// merged returns the sum of two branches, as a convolution with the windows of wide. It returns nil if other windows would be needed.
func (f *fuser) merged(wide, narrow *branch) *ir.Value {
	if wide.node == nil || wide.groups == 0 || narrow.groups%wide.groups != 0 || !slices.Equal(wide.stride, narrow.stride) {
		return nil
	}
	w := wide.node.In[inWeights]
	places := wide.places(narrow)
	if places == nil || f.uses[w] != 1 && w.Const.Len() > maxMerged {
		return nil
	}
	filters, bias := slices.Clone(wide.filters), make([]float64, wide.shape[0])
	for i, at := range wide.indexes(narrow, places) {
		filters[at] += narrow.filters[i]
	}
	for _, b := range [][]float64{wide.bias, narrow.bias} {
		for i, x := range b {
			bias[i] += x
		}
	}
	if !finite(filters) || !finite(bias) {
		return nil
	}
	in := []*ir.Value{wide.x, f.weights(w, filters)}
	if wide.bias != nil || narrow.bias != nil {
		in = append(in, f.biasOf(w, bias))
	}
	return f.b.OpA("Conv", wide.node.Attrs, in...)
}

// places returns for each place of narrow's windows, in row-major order, which place of wide's windows is the same one of the image. It
// returns nil if one of them is none.
func (wide *branch) places(narrow *branch) []int {
	places := []int{0}
	for axis := range wide.stride {
		size, places1 := wide.shape[2+axis], places
		places = nil
		for _, p := range places1 {
			for i := range narrow.shape[2+axis] {
				at := i*narrow.dilation[axis] - narrow.pad[axis] + wide.pad[axis]
				if at < 0 || at%wide.dilation[axis] != 0 || at/wide.dilation[axis] >= size {
					return nil
				}
				places = append(places, p*size+at/wide.dilation[axis])
			}
		}
	}
	return places
}

// indexes returns for each element of narrow's filters the index in those of wide, for windows with the given places.
func (wide *branch) indexes(narrow *branch, places []int) []int {
	count, window := wide.shape[0], 1
	for _, n := range wide.shape[2:] {
		window *= n
	}
	out := make([]int, 0, len(narrow.filters))
	for m := range count {
		// The first channel of a filter's group, in either branch.
		first := m / (count / wide.groups) * wide.shape[1]
		own := m / (count / narrow.groups) * narrow.shape[1]
		for c := range narrow.shape[1] {
			at := (m*wide.shape[1] + own - first + c) * window
			for _, p := range places {
				out = append(out, at+p)
			}
		}
	}
	return out
}
