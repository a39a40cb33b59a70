package image

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [ResizeGrad].
const (
	resizeGradDy = iota
	resizeGradX
	resizeGradRoi
	resizeGradScales
	resizeGradSizes
)

// ResizeGrad adds each element of dy to the elements from which a [Resize] has computed it, by their weights.
// Its inputs are dy and those of the Resize; its data only determine the size.
var ResizeGrad = &op.Op{
	Name:   "ResizeGrad",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  op.NewestAttrs(resizeAttrs),
	Inputs: []op.Port{
		resizeGradDy:     {Name: "dy", Types: elem.Floats},
		resizeGradX:      {Name: "x", Like: "dy"},
		resizeGradRoi:    {Name: "roi", Types: elem.Floats, Optional: true},
		resizeGradScales: {Name: "scales", Types: elem.Float32s, Optional: true},
		resizeGradSizes:  {Name: "sizes", Types: elem.Indices, Optional: true},
	},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   op.InferLike(1),
	Grad:    resizeGradGrad,
	Lower:   lowerResizeGrad,
	Widen:   true,
}

// ddy = the gradient, resized
func resizeGradGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.OpA("Resize", n.Attrs, append([]*ir.Value{dy[0]}, n.In[2:]...)...)}
}

func lowerResizeGrad(l *op.Lowering) error {
	there := &op.Lowering{Node: &ir.Node{Op: "Resize", In: l.In[1:], Out: l.In[:1], Attrs: l.Attrs}}
	r, err := resizingOf(there.Node)
	if err != nil {
		return err
	}
	in := make([]ir.Dim, len(r.axes))
	for i, axis := range r.axes {
		in[i] = op.Shape(l.Out[0])[axis]
	}
	scale := r.lowerScale(l, in)
	if interpolates(r.filter) {
		r.lowerLinearGrad(l, there, scale)
	} else {
		r.lowerNearestGrad(l, there, scale)
	}
	return nil
}

func (r resizing) lowerNearestGrad(l, there *op.Lowering, scale *ir.Value) {
	dx, dy := l.Out[0], l.In[resizeGradDy]
	total := ir.C(0)
	for _, n := range op.Shape(dy) {
		total = total.Add(n)
	}
	index := l.Scratch(tensor.Int64, total)
	r.lowerIndices(l, there, index, scale)
	l.Call("ResizeNearestGrad", dx, dy, index, op.Shape(dx), op.Shape(dy))
}

// lowerLinearGrad undoes one axis after the other, the first first.
func (r resizing) lowerLinearGrad(l, there *op.Lowering, scale *ir.Value) {
	dx, dy := l.Out[0], l.In[resizeGradDy]
	var axes []int
	for _, axis := range op.AllAxes(len(op.Shape(dx))) {
		if !r.same(there, axis) {
			axes = append(axes, axis)
		}
	}
	if len(axes) == 0 {
		l.Call("Copy", dx, dy)
		return
	}
	shape := slices.Clone(op.Shape(dy))
	for k, axis := range axes {
		m := shape[axis]
		shape[axis] = op.Shape(dx)[axis]
		to := dx
		if k < len(axes)-1 {
			to = l.Scratch(dy.Type.Elem, slices.Clone(shape)...)
		}
		weights := l.Scratch(dy.Type.Elem, r.weights(there, shape[axis], m))
		first := l.Scratch(tensor.Int64, m)
		line := r.line(there, axis)
		l.Call("ResizeWeights", weights, first, scale, r.roi, line)
		l.Call("ResizeAxisGrad", to, dy, weights, first, scale, line, op.Outer(shape, axis), op.Inner(shape, axis))
		dy = to
	}
}
