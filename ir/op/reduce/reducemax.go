package reduce

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// ReduceMax is the largest element along axes; false is below true. NaN wins.
//
// https://onnx.ai/onnx/operators/onnx__ReduceMax.html
var ReduceMax = &op.Op{
	Name:    "ReduceMax",
	Since:   []int{1, 11, 12, 13, 18, 20},
	Attrs:   reduceAttrs,
	Inputs:  reduceInputs(elem.NumbersOrBools),
	Outputs: []op.Port{{Name: "reduced", Like: "data"}},
	Infer:   inferReduce,
	Upgrade: upgradeReduce,
	Grad:    extremeGrad,
	Lower:   lowerReduceMax,
	Widen:   true,
}

func lowerReduceMax(l *op.Lowering) error {
	if elem.Bools.Has(l.In[reduceData].Type.Elem) {
		return reduce("ReduceAny")(l)
	}
	return reduce("ReduceMaximum")(l)
}

// dx = dy/ties where x = y
func extremeGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[reduceData]
	hit := b.Op("Equal", x, kept(b, n, n.Out[0]))
	ties := reduceAgain(b, n, "ReduceSum", op.CastTo(b, hit, x.Type.Elem))
	return []*ir.Value{op.ZeroUnless(b, hit, b.Op("Div", kept(b, n, dy[0]), ties))}
}
