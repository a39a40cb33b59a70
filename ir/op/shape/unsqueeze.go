package shape

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Unsqueeze adds axes of one element; axes count in the output.
//
// https://onnx.ai/onnx/operators/onnx__Unsqueeze.html
var Unsqueeze = &op.Op{
	Name:  "Unsqueeze",
	Since: []int{1, 11, 13, 21, 23, 24, 25},
	Attrs: []op.Attr{{Name: "axes", Kind: op.Ints, Required: true, Until: 13}},
	Inputs: []op.Port{
		squeezeData: {Name: "data", Types: elem.Any},
		squeezeAxes: {Name: "axes", Types: elem.Indices, Since: 13},
	},
	Outputs: []op.Port{{Name: "expanded", Like: "data"}},
	Infer:   inferUnsqueeze,
	Picks:   true,
	Upgrade: upgradeSqueeze,
	Grad:    reshapeGrad,
	Alias:   true,
	Lower:   lowerUnsqueeze,
}

func inferUnsqueeze(c *op.Infer) error {
	x, err := c.Tensor(squeezeData)
	if err != nil {
		return err
	}
	elems, err := c.Read(squeezeAxes)
	if err != nil {
		return err
	}
	shape := make([]ir.Dim, len(x.Shape)+len(elems))
	axes, static := ir.Static(elems)
	if !static {
		for i := range shape {
			shape[i] = c.Fresh("dim")
		}
		c.OutTensor(0, x.Elem, shape...)
		return nil
	}
	if axes, err = op.Axes(axes, len(shape)); err != nil {
		return err
	}
	k := 0
	for i := range shape {
		if slices.Contains(axes, i) {
			shape[i] = ir.C(1)
			continue
		}
		shape[i] = x.Shape[k]
		k++
	}
	c.OutTensor(0, x.Elem, shape...)
	if elems, ok := c.Content(squeezeData); ok && len(shape) <= 1 {
		c.Know(0, elems)
	}
	return nil
}

func lowerUnsqueeze(l *op.Lowering) error {
	axes, _ := op.Content(l.In[squeezeAxes])
	for i := range l.Syms { // none if inference knew the axes
		l.Count(i, "UnsqueezeSize", op.Shape(l.In[squeezeData]), axes, i)
	}
	return nil
}
