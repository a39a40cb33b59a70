package reduce

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [CumBestGrad].
const (
	cumBestGradDy = iota
	cumBestGradX
	cumBestGradY
	cumBestGradAxis
)

// CumBestGrad is the gradient of a [CumMax] or [CumMin]. Its inputs are dy, the operator's
// x and y, and its axis.
var CumBestGrad = &op.Op{
	Name:   "CumBestGrad",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  []op.Attr{{Name: "reverse", Kind: op.Int, Default: 0}},
	Inputs: []op.Port{
		cumBestGradDy:   {Name: "dy", Types: elem.Floats},
		cumBestGradX:    {Name: "x", Like: "dy"},
		cumBestGradY:    {Name: "y", Like: "dy"},
		cumBestGradAxis: {Name: "axis", Types: elem.Indices},
	},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   op.InferLike(1),
	Lower: func(l *op.Lowering) error {
		l.Call("CumBestGrad", l.Out[0], l.In[cumBestGradDy], l.In[cumBestGradX], l.In[cumBestGradY], l.In[cumBestGradAxis], op.Shape(l.In[cumBestGradX]), l.Int("reverse") != 0)
		return nil
	},
	Widen: true,
	Stops: op.StopSecondOrder,
}
