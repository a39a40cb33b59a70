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
	Infer:  like(1),
	Grad:   nllLossGradGrad,
	Lower:  lowerNLLLossGrad,
	Widen:  true,
}

// ddy = the loss of the gradient
func nllLossGradGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.OpA("NegativeLogLikelihoodLoss", n.Attrs, append([]*ir.Value{dy[0]}, n.In[2:]...)...)}
}

func lowerNLLLossGrad(l *Lowering) error {
	l.Call("NLLLossGrad", l.Out[0], l.In[0], l.In[2], l.Arg(3), lossParams(l.Node, Shape(l.Out[0])))
	return nil
}
