package activation

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [MaskedSoftmaxGrad].
const (
	maskedSoftmaxGradDy = iota
	maskedSoftmaxGradY
	maskedSoftmaxGradMask
)

// MaskedSoftmaxGrad is the gradient of a [MaskedSoftmax] by its input, of dy, the
// result y and the mask.
var MaskedSoftmaxGrad = &op.Op{
	Name:   "MaskedSoftmaxGrad",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  maskedAttrs,
	Inputs: []op.Port{
		maskedSoftmaxGradDy:   {Name: "dy", Types: elem.Floats},
		maskedSoftmaxGradY:    {Name: "y", Like: "dy"},
		maskedSoftmaxGradMask: {Name: "mask", Types: elem.Bools},
	},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   inferMaskedSoftmax,
	Lower:   lowerMaskedSoftmaxGrad,
	Stops:   op.StopAfterGradients,
}

func lowerMaskedSoftmaxGrad(l *op.Lowering) error {
	dy, y, mask := l.In[maskedSoftmaxGradDy], l.In[maskedSoftmaxGradY], l.In[maskedSoftmaxGradMask]
	l.Call("MaskedSoftmaxGrad", l.Out[0], dy, y, mask, l.Float("scale"), op.Shape(dy), op.Shape(mask))
	return nil
}
