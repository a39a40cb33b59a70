package op

import "github.com/bbgen/bbgen/ir"

// ThresholdedRelu is x where it is above alpha, and 0 elsewhere.
//
// https://onnx.ai/onnx/operators/onnx__ThresholdedRelu.html
var ThresholdedRelu = &Op{
	Name:    "ThresholdedRelu",
	Since:   []int{10, 22},
	Attrs:   []Attr{{Name: "alpha", Kind: Float, Default: 1.0}},
	Inputs:  []Port{{Name: "X", Types: floats}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferSame,
	Grad:    thresholdedReluGrad,
	Lower:   lowerThresholdedRelu,
	InPlace: true,
	Widen:   true,

	Pointwise: everyNode,
}

func lowerThresholdedRelu(l *Lowering) error {
	l.Each("ThresholdedRelu", l.Out[0], l.In[0], l.Float("alpha"))
	return nil
}

// dx = dy where x > alpha
func thresholdedReluGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[0]
	return []*ir.Value{where(b, b.Op("Greater", x, scalarLike(b, x, n.Float("alpha"))), dy[0])}
}
