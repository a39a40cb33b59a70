package reduce

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [CumProdGrad].
const (
	cumProdGradDy = iota
	cumProdGradX
	cumProdGradAxis
)

// CumProdGrad is the gradient of a [CumProd]. Its inputs are dy and those of the
// operator.
var CumProdGrad = &op.Op{
	Name:   "CumProdGrad",
	Domain: op.Own,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "exclusive", Kind: op.Int, Default: 0},
		{Name: "reverse", Kind: op.Int, Default: 0},
	},
	Inputs: []op.Port{
		cumProdGradDy:   {Name: "dy", Types: elem.Floats},
		cumProdGradX:    {Name: "x", Like: "dy"},
		cumProdGradAxis: {Name: "axis", Types: elem.Indices},
	},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   op.InferLike(1),
	Lower:   lowerCumProdGrad,
	Widen:   true,
	Stops:   op.StopSecondOrder,
}

func lowerCumProdGrad(l *op.Lowering) error {
	l.Call("CumProdGrad", l.Out[0], l.In[cumProdGradDy], l.In[cumProdGradX], l.In[cumProdGradAxis], op.Shape(l.In[cumProdGradX]), l.Int("exclusive") != 0, l.Int("reverse") != 0)
	return nil
}
