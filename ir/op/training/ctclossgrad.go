package training

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [CTCLossGrad].
const (
	ctcLossGradDy = iota
	ctcLossGradLogProbs
	ctcLossGradLabels
	ctcLossGradTimes
	ctcLossGradLengths
)

// CTCLossGrad is the gradient of a [CTCLoss] with respect to its first input. Its inputs are dy and those of
// the loss.
var CTCLossGrad = &op.Op{
	Name:   "CTCLossGrad",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  ctcAttrs,
	Inputs: []op.Port{
		ctcLossGradDy:       {Name: "dy", Types: elem.Floats},
		ctcLossGradLogProbs: {Name: "log_probs", Like: "dy"},
		ctcLossGradLabels:   {Name: "labels", Types: elem.Indices},
		ctcLossGradTimes:    {Name: "times", Types: elem.Indices},
		ctcLossGradLengths:  {Name: "lengths", Types: elem.Indices},
	},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   op.InferGradient(inferCTCLoss),
	Lower:   lowerCTCLossGrad,
	Widen:   true,
	Stops:   op.StopSecondOrder,
}

func lowerCTCLossGrad(l *op.Lowering) error {
	x, labels := l.In[ctcLossGradLogProbs], l.In[ctcLossGradLabels]
	sizes := ctcOf(l.Node, op.Shape(x))
	work := l.Scratch(tensor.Float64, sizes.batch, sizes.time.Add(ir.C(1)), ctcStates(labels))
	l.Call("CTCLossGrad", l.Out[0], l.In[ctcLossGradDy], x, labels, l.In[ctcLossGradTimes], l.In[ctcLossGradLengths], work, ctcParams(l.Node, x, labels))
	return nil
}
