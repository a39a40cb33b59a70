package activation

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [SoftmaxGrad].
const (
	softmaxGradDy = iota
	softmaxGradY
)

// SoftmaxGrad is y·(dy - Σ dy·y) along the axis of the [Softmax] that gave y.
var SoftmaxGrad = &op.Op{
	Name:   "SoftmaxGrad",
	Domain: op.Own,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Default: -1},
		{Name: "flat", Kind: op.Int, Default: 0},
	},
	Inputs:  []op.Port{softmaxGradDy: {Name: "dy", Types: elem.Floats}, softmaxGradY: {Name: "y", Like: "dy"}},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   inferSoftmax,
	Lower:   lowerSoftmaxGrad,
	Stored:  []int{softmaxGradY},
	Expand:  expandSoftmaxGrad,
	Expands: op.Never,
	Widen:   true,
}

func lowerSoftmaxGrad(l *op.Lowering) error {
	outer, n, inner, err := softmaxAxes(l.Node, op.Shape(l.In[softmaxGradDy]))
	if err != nil {
		return err
	}
	l.Call(l.StoredKernel("SoftmaxGrad"), l.Out[0], l.In[softmaxGradDy], l.In[softmaxGradY], outer, n, inner)
	return nil
}

func expandSoftmaxGrad(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	dy, y := n.In[softmaxGradDy], n.In[softmaxGradY]
	dot := softmaxSum(b, n, b.Op("Mul", dy, y))
	return []*ir.Value{b.Op("Mul", y, b.Op("Sub", dy, dot))}, nil
}
