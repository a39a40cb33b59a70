package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// MaskedSoftmax is the softmax along the last axis of what its input times scale
// is where a mask holds, and of the number hidden elsewhere. The mask broadcasts
// to the input.
var MaskedSoftmax = &Op{
	Name:    "MaskedSoftmax",
	Domain:  Own,
	Since:   []int{1},
	Attrs:   maskedAttrs,
	Inputs:  []Port{{Name: "x", Types: floats}, {Name: "mask", Types: bools}},
	Outputs: []Port{{Name: "y", Like: "x"}},
	Infer:   inferMaskedSoftmax,
	Lower:   lowerMaskedSoftmax,
	Stops:   afterGradients,
}

// MaskedSoftmaxGrad is the gradient of a [MaskedSoftmax] by its input, of dy, the
// result y and the mask.
var MaskedSoftmaxGrad = &Op{
	Name:    "MaskedSoftmaxGrad",
	Domain:  Own,
	Since:   []int{1},
	Attrs:   maskedAttrs,
	Inputs:  []Port{{Name: "dy", Types: floats}, {Name: "y", Like: "dy"}, {Name: "mask", Types: bools}},
	Outputs: []Port{{Name: "dx", Like: "dy"}},
	Infer:   inferMaskedSoftmax,
	Lower:   lowerMaskedSoftmaxGrad,
	Stops:   afterGradients,
}

func inferMaskedSoftmax(c *Infer) error {
	x, err := floatInput(c, 0)
	if err != nil {
		return err
	}
	last := len(c.In) - 1
	mask, err := c.Tensor(last)
	if err != nil {
		return err
	}
	shape, err := Broadcast(x.Shape, mask.Shape)
	switch {
	case err != nil:
		return err
	case mask.Elem != tensor.Bool || !ir.SameShape(shape, x.Shape) || len(shape) == 0:
		return fmt.Errorf("input %q is %s, want a mask for %s", c.In[last].Name, mask, x)
	}
	c.Out(0, x)
	return nil
}

func lowerMaskedSoftmax(l *Lowering) error {
	x, mask := l.In[0], l.In[1]
	l.Call("MaskedSoftmax", l.Out[0], x, mask, l.Float("scale"), l.Float("hidden"), Shape(x), Shape(mask))
	return nil
}

func lowerMaskedSoftmaxGrad(l *Lowering) error {
	dy, y, mask := l.In[0], l.In[1], l.In[2]
	l.Call("MaskedSoftmaxGrad", l.Out[0], dy, y, mask, l.Float("scale"), Shape(dy), Shape(mask))
	return nil
}

var maskedAttrs = []Attr{
	{Name: "hidden", Kind: Float, Default: 0.0},
	{Name: "scale", Kind: Float, Default: 1.0},
}
