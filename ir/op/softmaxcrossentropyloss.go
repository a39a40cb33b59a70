package op

import "github.com/bbgen/bbgen/ir"

// SoftmaxCrossEntropyLoss is the loss of a classifier that gives scores. Its
// second output is the logarithm of the softmax of the scores.
//
// https://onnx.ai/onnx/operators/onnx__SoftmaxCrossEntropyLoss.html
var SoftmaxCrossEntropyLoss = &Op{
	Name:  "SoftmaxCrossEntropyLoss",
	Since: []int{12, 13},
	Attrs: []Attr{
		{Name: "ignore_index", Kind: Int},
		{Name: "reduction", Kind: String, Default: "mean", Values: []string{"none", "sum", "mean"}},
	},
	Inputs:  []Port{{Name: "scores", Types: floats}, {Name: "labels", Types: indices}, {Name: "weights", Like: "scores", Optional: true}},
	Outputs: []Port{{Name: "output", Like: "scores"}, {Name: "log_prob", Like: "scores", Optional: true}},
	Infer:   inferCrossEntropy,
	Grad:    crossEntropyGrad,
	Lower:   lowerCrossEntropy,
	Widen:   true,
	Precise: []int{0, 1},
}

func inferCrossEntropy(c *Infer) error {
	if err := inferLoss(c); err != nil {
		return err
	}
	c.Out(1, c.Type(0))
	return nil
}

func lowerCrossEntropy(l *Lowering) error {
	x := l.In[0]
	shape := Shape(x)
	logs := outOr(l, 1, x.Type)
	l.Call("LogSoftmax", logs, x, shape[0], shape[1], ir.Size(shape[2:]))
	if y := l.Res(0); y != nil {
		lowerNLLLoss(l, y, logs)
	}
	return nil
}

// dx = dlogs - softmax(x)·Σ dlogs, where dlogs is the gradient of the logarithms
func crossEntropyGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	logs := output(b, n, 1)
	var g *ir.Value
	if dy[0] != nil {
		g = own(b, "NLLLossGrad", lossAttrs(n), append([]*ir.Value{dy[0], logs}, n.In[1:]...)...)
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
		dweight = lossWeightGrad(b, n, logs, n.In[1], n.Arg(2), n.Out[0], dy[0])
	}
	return []*ir.Value{b.Op("Sub", g, b.Op("Mul", b.Op("Exp", logs), sum)), nil, dweight}[:len(n.In)]
}
