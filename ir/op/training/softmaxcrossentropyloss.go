package training

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// SoftmaxCrossEntropyLoss is the loss of a classifier that returns scores. Its second output is the logarithm
// of the softmax of the scores.
//
// https://onnx.ai/onnx/operators/onnx__SoftmaxCrossEntropyLoss.html
var SoftmaxCrossEntropyLoss = &op.Op{
	Name:  "SoftmaxCrossEntropyLoss",
	Since: []int{12, 13},
	Attrs: []op.Attr{
		{Name: "ignore_index", Kind: op.Int},
		{Name: "reduction", Kind: op.String, Default: "mean", Values: []string{"none", "sum", "mean"}},
	},
	Inputs: []op.Port{
		lossInput:  {Name: "scores", Types: elem.Floats},
		lossTarget: {Name: "labels", Types: elem.Indices},
		lossWeight: {Name: "weights", Like: "scores", Optional: true},
	},
	Outputs: []op.Port{{Name: "output", Like: "scores"}, {Name: "log_prob", Like: "scores", Optional: true}},
	Infer:   inferCrossEntropy,
	Grad:    crossEntropyGrad,
	Lower:   lowerCrossEntropy,
	Widen:   true,
	Precise: []int{0, 1},
}

func inferCrossEntropy(c *op.Infer) error {
	if err := inferLoss(c); err != nil {
		return err
	}
	c.Out(1, c.Type(lossInput))
	return nil
}

func lowerCrossEntropy(l *op.Lowering) error {
	x := l.In[lossInput]
	shape := op.Shape(x)
	logs := l.OutOr(1, x.Type)
	l.Call("LogSoftmax", logs, x, shape[0], shape[1], ir.Size(shape[2:]))
	if y := l.Res(0); y != nil {
		lowerNLLLoss(l, y, logs)
	}
	return nil
}

// dx = dlogs - softmax(x)·Σ dlogs, where dlogs is the gradient of the logarithms
func crossEntropyGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	logs := op.Output(b, n, 1)
	var g *ir.Value
	if dy[0] != nil {
		g = op.OwnNode(b, "NLLLossGrad", lossAttrs(n), append([]*ir.Value{dy[0], logs}, n.In[1:]...)...)
	}
	switch {
	case len(dy) < 2 || dy[1] == nil:
	case g == nil:
		g = dy[1]
	default:
		g = b.Op("Add", g, dy[1])
	}
	sum := b.Op("ReduceSum", g, b.Ints(1))
	var dweight *ir.Value
	if dy[0] != nil {
		dweight = lossWeightGrad(b, n, logs, n.In[lossTarget], n.Arg(lossWeight), n.Out[0], dy[0])
	}
	return []*ir.Value{b.Op("Sub", g, b.Op("Mul", b.Op("Exp", logs), sum)), nil, dweight}[:len(n.In)]
}
