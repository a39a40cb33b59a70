package activation

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [MaskedSoftmax].
const (
	maskedSoftmaxX = iota
	maskedSoftmaxMask
)

// MaskedSoftmax is a softmax along the last axis. Its argument is the input times scale where the mask is
// true, and the number hidden elsewhere. The mask broadcasts to the input.
var MaskedSoftmax = &op.Op{
	Name:   "MaskedSoftmax",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  maskedAttrs,
	Inputs: []op.Port{
		maskedSoftmaxX:    {Name: "x", Types: elem.Floats},
		maskedSoftmaxMask: {Name: "mask", Types: elem.Bools},
	},
	Outputs: []op.Port{{Name: "y", Like: "x"}},
	Infer:   inferMaskedSoftmax,
	Lower:   lowerMaskedSoftmax,
	Stops:   op.StopAfterGradients,
}

func inferMaskedSoftmax(c *op.Infer) error {
	x, err := c.FloatTensor(op.X)
	if err != nil {
		return err
	}
	last := len(c.In) - 1
	mask, err := c.Tensor(last)
	if err != nil {
		return err
	}
	shape, err := op.Broadcast(x.Shape, mask.Shape)
	switch {
	case err != nil:
		return err
	case mask.Elem != tensor.Bool || !ir.SameShape(shape, x.Shape) || len(shape) == 0:
		return fmt.Errorf("input %q is %s, want a mask for %s", c.In[last].Name, mask, x)
	}
	c.Out(0, x)
	return nil
}

func lowerMaskedSoftmax(l *op.Lowering) error {
	x, mask := l.In[maskedSoftmaxX], l.In[maskedSoftmaxMask]
	l.Call("MaskedSoftmax", l.Out[0], x, mask, l.Float("scale"), l.Float("hidden"), op.Shape(x), op.Shape(mask))
	return nil
}

var maskedAttrs = []op.Attr{
	{Name: "hidden", Kind: op.Float, Default: 0.0},
	{Name: "scale", Kind: op.Float, Default: 1.0},
}
