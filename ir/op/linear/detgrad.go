package linear

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [DetGrad].
const (
	detGradDy = iota
	detGradX
)

// DetGrad is dy times the cofactors of the matrices of x.
var DetGrad = &op.Op{
	Name:    "DetGrad",
	Domain:  op.Own,
	Since:   []int{1},
	Inputs:  []op.Port{detGradDy: {Name: "dy", Types: elem.Floats}, detGradX: {Name: "x", Like: "dy"}},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   op.InferGradient(inferDet),
	Lower:   lowerDetGrad,
	Widen:   true,
	Stops:   op.StopSecondOrder,
}

func lowerDetGrad(l *op.Lowering) error {
	x := op.Shape(l.In[detGradX])
	n := x[len(x)-1]
	l.Call("DetGrad", l.Out[0], l.In[detGradDy], l.In[detGradX], l.Scratch(l.In[detGradDy].Type.Elem, n, n), n)
	return nil
}
