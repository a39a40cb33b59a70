package shape

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [Squeeze] and [Unsqueeze].
const (
	squeezeData = iota
	squeezeAxes
)

// Squeeze drops axes of one element: the given ones, or all.
//
// https://onnx.ai/onnx/operators/onnx__Squeeze.html
var Squeeze = &op.Op{
	Name:  "Squeeze",
	Since: []int{1, 11, 13, 21, 23, 24, 25},
	Attrs: []op.Attr{{Name: "axes", Kind: op.Ints, Until: 13}},
	Inputs: []op.Port{
		squeezeData: {Name: "data", Types: elem.Any},
		squeezeAxes: {Name: "axes", Types: elem.Indices, Optional: true, Since: 13},
	},
	Outputs: []op.Port{{Name: "squeezed", Like: "data"}},
	Infer:   inferSqueeze,
	Picks:   true,
	Upgrade: upgradeSqueeze,
	Grad:    reshapeGrad,
	Alias:   true,
	Lower:   lowerSqueeze,
}

func upgradeSqueeze(b *ir.Builder, n *ir.Node) error {
	if n.Version < 13 {
		op.AttrToInput(b, n, "axes", 1)
	}
	return nil
}

func inferSqueeze(c *op.Infer) error {
	x, err := c.Tensor(squeezeData)
	if err != nil {
		return err
	}
	drop := make([]bool, len(x.Shape))
	switch {
	case c.Arg(squeezeAxes) == nil:
		for i, d := range x.Shape {
			drop[i] = d.Is(1)
			keeps(c, i, d)
		}
	default:
		elems, err := c.Read(squeezeAxes)
		if err != nil {
			return err
		}
		axes, ok := ir.Static(elems)
		if !ok {
			return inferSqueezeRead(c, x, len(elems))
		}
		for _, a := range axes { // an axis may be named twice
			axis, err := op.Axis(a, len(x.Shape))
			if err != nil || len(x.Shape) == 0 {
				return fmt.Errorf("axes %v name no axis of %s", axes, x)
			}
			if n, ok := x.Shape[axis].Const(); ok && n != 1 {
				return fmt.Errorf("axis %d has size %d, want 1", axis, n)
			}
			drop[axis] = true
		}
	}
	var shape []ir.Dim
	for i, d := range x.Shape {
		if !drop[i] {
			shape = append(shape, d)
		}
	}
	c.OutTensor(0, x.Elem, shape...)
	if elems, ok := c.Content(squeezeData); ok {
		c.Know(0, elems)
	}
	return nil
}

// keeps requires that axis i of input 0 does not become 1 at run time, as Squeeze without axes would then
// drop it, and the rank must be known.
func keeps(c *op.Infer, i int, size ir.Dim) {
	one := ir.C(1)
	if _, ok := size.Const(); ok {
		return
	}
	isOne := size.Min(one).Sub(size.Sub(one).Max(ir.C(0)).Min(one)) // 1 if size is 1, and 0 otherwise
	what := fmt.Sprintf("axis %d of %q has one element only in some runs, so give Squeeze its axes, or bind the size: axes to drop", i, c.In[squeezeData].Name)
	c.Assume(op.Agreement{What: what, Got: isOne, Want: ir.C(0)})
}

// inferSqueezeRead infers the type for axes that are known only at run time, and so which sizes remain.
func inferSqueezeRead(c *op.Infer, x ir.Type, dropped int) error {
	if dropped > len(x.Shape) {
		return fmt.Errorf("cannot drop %d axes of %s", dropped, x)
	}
	if dropped == len(x.Shape) { // no size of the output is left that would be checked when it is computed
		for i := range x.Shape {
			if _, err := c.Agree(squeezeData, i, ir.C(1)); err != nil {
				return err
			}
		}
	}
	shape := make([]ir.Dim, len(x.Shape)-dropped)
	for i := range shape {
		shape[i] = c.Fresh("dim")
	}
	c.OutTensor(0, x.Elem, shape...)
	return nil
}

func lowerSqueeze(l *op.Lowering) error {
	axes, _ := op.Content(l.Arg(squeezeAxes))
	for i := range l.Syms { // none if inference knew the axes
		l.Count(i, "SqueezeSize", op.Shape(l.In[squeezeData]), axes, i)
	}
	return nil
}
