package training

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [NLLLossGrad].
const (
	nllLossGradDy = iota
	nllLossGradInput
	nllLossGradTarget
	nllLossGradWeight
)

// NLLLossGrad is the gradient of a [NegativeLogLikelihoodLoss] with respect to its first input. Its inputs
// are dy and those of the loss, of which the first only determines the size.
var NLLLossGrad = &op.Op{
	Name:   "NLLLossGrad",
	Domain: op.Own,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "ignore_index", Kind: op.Int},
		{Name: "reduction", Kind: op.String, Default: "mean", Values: []string{"none", "sum", "mean"}},
	},
	Inputs: []op.Port{
		nllLossGradDy:     {Name: "dy", Types: elem.Floats},
		nllLossGradInput:  {Name: "input", Like: "dy"},
		nllLossGradTarget: {Name: "target", Types: elem.Indices},
		nllLossGradWeight: {Name: "weight", Like: "dy", Optional: true},
	},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   op.InferGradient(inferLoss),
	Grad:    nllLossGradGrad,
	Lower:   lowerNLLLossGrad,
	Widen:   true,
}

// ddy = the loss of the gradient, with the same weights of the classes
func nllLossGradGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	ddy := b.OpA("NegativeLogLikelihoodLoss", n.Attrs, append([]*ir.Value{dy[0]}, n.In[2:]...)...)
	return []*ir.Value{ddy, nil, nil, lossWeightGrad(b, n, dy[0], n.In[nllLossGradTarget], n.Arg(nllLossGradWeight), ddy, n.In[nllLossGradDy])}[:len(n.In)]
}

func lowerNLLLossGrad(l *op.Lowering) error {
	l.Call("NLLLossGrad", l.Out[0], l.In[nllLossGradDy], l.In[nllLossGradTarget], l.Arg(nllLossGradWeight), lossParams(l.Node, op.Shape(l.Out[0])))
	return nil
}
