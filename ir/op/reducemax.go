package op

import "github.com/bbgen/bbgen/ir"

// ReduceMax is the largest element along axes; false is below true. NaN wins.
//
// https://onnx.ai/onnx/operators/onnx__ReduceMax.html
var ReduceMax = &Op{
	Name:    "ReduceMax",
	Since:   []int{1, 11, 12, 13, 18, 20},
	Attrs:   reduceAttrs,
	Inputs:  reduceInputs(numbersOrBool),
	Outputs: []Port{{Name: "reduced", Like: "data"}},
	Infer:   inferReduce,
	Upgrade: upgradeReduce,
	Grad:    extremeGrad,
	Lower:   lowerReduceMax,
	Widen:   true,
}

func lowerReduceMax(l *Lowering) error {
	if bools.has(l.In[0].Type.Elem) {
		return reduce("ReduceAny")(l)
	}
	return reduce("ReduceMaximum")(l)
}

// dx = dy/ties where x = y
func extremeGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[0]
	hit := b.Op("Equal", x, kept(b, n, n.Out[0]))
	ties := reduceAgain(b, n, "ReduceSum", castTo(b, hit, x.Type.Elem))
	return []*ir.Value{where(b, hit, b.Op("Div", kept(b, n, dy[0]), ties))}
}
