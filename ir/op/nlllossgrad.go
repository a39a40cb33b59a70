package op

import "github.com/bbgen/bbgen/ir"

// NLLLossGrad is the gradient of a [NegativeLogLikelihoodLoss] by its first
// input. Its inputs are dy and those of the loss, of whose first it takes the
// size.
var NLLLossGrad = &Op{
	Name:   "NLLLossGrad",
	Domain: Own,
	Since:  []int{1},
	In:     Arity{3, 4},
	Out:    One,
	Infer:  gradientOf(inferLoss),
	Grad:   nllLossGradGrad,
	Lower:  lowerNLLLossGrad,
	Widen:  true,
}

// ddy = the loss of the gradient; the weights of the classes are those of this
// loss, too
func nllLossGradGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	ddy := b.OpA("NegativeLogLikelihoodLoss", n.Attrs, append([]*ir.Value{dy[0]}, n.In[2:]...)...)
	return []*ir.Value{ddy, nil, nil, lossWeightGrad(b, n, dy[0], n.In[2], n.Arg(3), ddy, n.In[0])}[:len(n.In)]
}

func lowerNLLLossGrad(l *Lowering) error {
	l.Call("NLLLossGrad", l.Out[0], l.In[0], l.In[2], l.Arg(3), lossParams(l.Node, Shape(l.Out[0])))
	return nil
}
