package image

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

func lowerResize(l *op.Lowering) error {
	r, err := resizingOf(l.Node)
	if err != nil {
		return err
	}
	x, y := l.In[resizeX], l.Out[0]
	in := make([]ir.Dim, len(r.axes))
	for i, axis := range r.axes {
		in[i] = op.Shape(x)[axis]
	}
	k := 0
	for i, axis := range r.axes {
		if !l.IsSym(op.Shape(y)[axis], k) {
			continue
		}
		switch {
		case r.keeps():
			l.Count(k, "ResizeKeptSize", r.sizes, in, r.policy == "not_smaller", i)
		case r.scales != nil:
			l.Count(k, "ResizeSize", r.scales, i, in[i])
		default:
			l.Count(k, "Extent", r.sizes[i:i+1], "Resize")
		}
		k++
	}
	scale := r.lowerScale(l, in)
	if interpolates(r.filter) {
		r.lowerLinear(l, scale)
	} else {
		r.lowerNearest(l, scale)
	}
	return nil
}

// lowerScale computes the scales of the axes from their input sizes in.
func (r resizing) lowerScale(l *op.Lowering, in []ir.Dim) *ir.Value {
	scale := l.Scratch(tensor.Float64, ir.C(len(r.axes)))
	switch {
	case r.scales != nil:
		l.Call("ResizeScales", scale, r.scales)
	case r.keeps():
		l.Call("ResizeKeep", scale, r.sizes, in, r.policy == "not_smaller")
	default:
		l.Call("ResizeRatios", scale, r.sizes, in)
	}
	return scale
}

// line returns the parameters of the kernels for one axis.
func (r resizing) line(l *op.Lowering, axis int) op.Struct {
	s := op.Struct{Type: "ResizeLine", Fields: []op.Field{
		{Name: "In", Value: op.Shape(l.In[op.X])[axis]},
		{Name: "Out", Value: op.Shape(l.Out[0])[axis]},
		{Name: "Axis", Value: max(slices.Index(r.axes, axis), 0)},
		{Name: "Coord", Value: r.coord},
		{Name: "Filter", Value: r.filter},
	}}
	if r.filter == "ResizeCubic" {
		s.Fields = append(s.Fields, op.Field{Name: "CubicA", Value: l.Float("cubic_coeff_a")})
	}
	if l.Int("antialias") != 0 {
		s.Fields = append(s.Fields, op.Field{Name: "Antialias", Value: true})
	}
	if l.Int("exclude_outside") != 0 {
		s.Fields = append(s.Fields, op.Field{Name: "Exclude", Value: true})
	}
	if r.crops() {
		s.Fields = append(s.Fields, op.Field{Name: "Value", Value: l.Float("extrapolation_value")})
	}
	return s
}

// same reports whether an axis stays as it is.
func (r resizing) same(l *op.Lowering, axis int) bool {
	i := slices.Index(r.axes, axis)
	if i < 0 {
		return true
	}
	if r.crops() || !op.Shape(l.In[op.X])[axis].Equal(op.Shape(l.Out[0])[axis]) {
		return false
	}
	if r.scales != nil {
		return r.scales.IsConst() && tensor.Data[float32](r.scales.Const)[i] == 1
	}
	return !r.keeps()
}

func (r resizing) lowerNearest(l *op.Lowering, scale *ir.Value) {
	x, y := l.In[resizeX], l.Out[0]
	total := ir.C(0)
	for _, n := range op.Shape(y) {
		total = total.Add(n)
	}
	index := l.Scratch(tensor.Int64, total)
	r.lowerIndices(l, l, index, scale)
	value := (*ir.Value)(nil)
	if r.crops() && elem.Numbers.Has(x.Type.Elem) {
		value = l.Scratch(x.Type.Elem, ir.C(1))
		l.Call("Fill", value, l.Float("extrapolation_value"))
	}
	l.Call("ResizeNearest", y, x, value, index, op.Shape(x), op.Shape(y))
}

// lowerIndices finds which element of the input each one along an axis of the
// output of a Resize shows.
func (r resizing) lowerIndices(l, resize *op.Lowering, index, scale *ir.Value) {
	at := ir.C(0)
	for axis, n := range op.Shape(resize.Out[0]) {
		if r.same(resize, axis) {
			l.Call("ResizeSame", index, at, n)
		} else {
			l.Call("ResizeIndex", index, at, scale, r.roi, r.line(resize, axis))
		}
		at = at.Add(n)
	}
}

// lowerLinear resizes one axis after the other, the last first: where the
// output is larger most work is done on long rows.
func (r resizing) lowerLinear(l *op.Lowering, scale *ir.Value) {
	x, y := l.In[resizeX], l.Out[0]
	var axes []int
	for _, axis := range op.AllAxes(len(op.Shape(x))) {
		if !r.same(l, axis) {
			axes = append(axes, axis)
		}
	}
	slices.Reverse(axes)
	if len(axes) == 0 {
		l.Call("Copy", y, x)
		return
	}
	shape := slices.Clone(op.Shape(x))
	for k, axis := range axes {
		m := op.Shape(y)[axis]
		shape[axis] = m
		to := y
		if k < len(axes)-1 {
			to = l.Scratch(x.Type.Elem, slices.Clone(shape)...)
		}
		weights := l.Scratch(x.Type.Elem, r.weights(l, op.Shape(x)[axis], m))
		first := l.Scratch(tensor.Int64, m)
		line := r.line(l, axis)
		l.Call("ResizeWeights", weights, first, scale, r.roi, line)
		l.Call("ResizeAxis", to, x, weights, first, scale, line, op.Outer(shape, axis), op.Inner(shape, axis))
		x = to
	}
}

// weights returns the largest number of weights that an axis may need. With a filter as wide as an output
// element, these are a few for each element of both operands.
func (r resizing) weights(l *op.Lowering, in, out ir.Dim) ir.Dim {
	switch {
	case l.Int("antialias") != 0:
		return in.Add(out).Mul(ir.C(8))
	case r.filter == "ResizeCubic":
		return out.Mul(ir.C(4))
	}
	return out.Mul(ir.C(2))
}

// castsResize reports whether a Resize works on other types than the operands
// have.
func castsResize(n *ir.Node) bool {
	r, err := resizingOf(n)
	if err != nil {
		return false
	}
	x := n.In[resizeX].Type.Elem
	return r.roi != nil && r.roi.Type.Elem != tensor.Float32 || r.computes(x) && x != tensor.Float32 && x != tensor.Float64
}

// computes reports whether the output has elements that the input has not.
func (r resizing) computes(elem tensor.DType) bool {
	return interpolates(r.filter) || r.crops() && elem.IsSmallFloat()
}

// castResize computes means in float32, or in float64 if the integers require it, and rounds them to the
// nearest value of the element type.
func castResize(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	r, err := resizingOf(n)
	if err != nil {
		return nil, err
	}
	in := slices.Clone(n.In)
	if r.roi != nil && r.roi.Type.Elem != tensor.Float32 {
		in[1] = op.Cast(b, r.roi, tensor.Float32)
	}
	elem := in[0].Type.Elem
	wide := tensor.Float32
	switch {
	case !r.computes(elem) || elem == tensor.Float64:
		wide = elem
	case elem.IsInt() && elem.Size() > 2:
		wide = tensor.Float64
	}
	if wide != elem {
		in[0] = op.Cast(b, in[0], wide)
	}
	y := op.Instead(b, n, "Resize", n.Attrs, in...)
	if wide == elem {
		return []*ir.Value{y}, nil
	}
	if elem.IsInt() {
		lo, hi := intLimits(elem)
		y = b.Op("Clip", b.Op("Round", y), b.Scalar(wide, lo), b.Scalar(wide, hi))
	}
	return []*ir.Value{op.Cast(b, y, elem)}, nil
}

// intLimits returns the smallest and the largest float64 that an integer type
// holds.
func intLimits(d tensor.DType) (lo, hi float64) {
	bits := d.Bits()
	if d.IsSigned() {
		lo, hi = -float64(uint64(1)<<(bits-1)), float64(uint64(1)<<(bits-1)-1)
	} else {
		hi = float64(uint64(1)<<(bits-1)-1)*2 + 1
	}
	if bits == 64 { // round to a float64 that is not too large
		hi *= 1 - 0x1p-53
	}
	return lo, hi
}
