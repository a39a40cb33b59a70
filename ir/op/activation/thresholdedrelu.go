package activation

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// ThresholdedRelu is x where it is above alpha, and 0 elsewhere.
//
// https://onnx.ai/onnx/operators/onnx__ThresholdedRelu.html
var ThresholdedRelu = &op.Op{
	Name:    "ThresholdedRelu",
	Since:   []int{10, 22},
	Attrs:   []op.Attr{{Name: "alpha", Kind: op.Float, Default: 1.0}},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   op.InferSame,
	Grad:    thresholdedReluGrad,
	Lower:   lowerThresholdedRelu,
	InPlace: true,
	Widen:   true,

	Pointwise: op.Always,
}

func lowerThresholdedRelu(l *op.Lowering) error {
	l.Each("ThresholdedRelu", l.Out[0], l.In[op.X], l.Float("alpha"))
	return nil
}

// dx = dy where x > alpha
func thresholdedReluGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[op.X]
	return []*ir.Value{op.ZeroUnless(b, b.Op("Greater", x, op.ScalarLike(b, x, n.Float("alpha"))), dy[0])}
}
