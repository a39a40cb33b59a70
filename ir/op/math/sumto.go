package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [SumTo].
const (
	sumToDy = iota
	sumToX
)

// SumTo sums its first input over the axes along which the second one broadcasts to it, to the shape of the
// second.
var SumTo = &op.Op{
	Name:    "SumTo",
	Domain:  op.Own,
	Since:   []int{1},
	Inputs:  []op.Port{sumToDy: {Name: "dy", Types: elem.Floats}, sumToX: {Name: "x", Like: "dy"}},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   op.InferLike(1),
	Grad:    sumToGrad,
	Lower:   lowerSumTo,
	Widen:   true,
}

// dx = dy, repeated
func sumToGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Expand", dy[0], op.ShapeOf(b, n.In[sumToDy])), nil}
}

func lowerSumTo(l *op.Lowering) error {
	from, to := op.Shape(l.In[sumToDy]), op.Shape(l.Out[0])
	for len(to) < len(from) {
		to = append(ir.Cs(1), to...)
	}
	l.Call("ReduceSum", l.Out[0], l.In[sumToDy], from, to)
	return nil
}
