package reduce

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// ReduceLogSumExp is log(Σ exp(x)) along axes, written so that nothing
// overflows.
//
// https://onnx.ai/onnx/operators/onnx__ReduceLogSumExp.html
var ReduceLogSumExp = &op.Op{
	Name:    "ReduceLogSumExp",
	Since:   []int{1, 11, 13, 18, 28},
	Attrs:   reduceAttrs,
	Inputs:  reduceInputs(elem.Floats),
	Outputs: []op.Port{{Name: "reduced", Like: "data"}},
	Infer:   inferReduce,
	Upgrade: upgradeReduce,
	Grad:    reduceLogSumExpGrad,
	Lower:   lowerReduceLogSumExp,
	Widen:   true,
	Precise: []int{0},
}

func lowerReduceLogSumExp(l *op.Lowering) error {
	to, err := reduceTo(l)
	if err != nil {
		return err
	}
	top := l.Scratch(l.Out[0].Type.Elem, to...)
	l.Call("ReduceLogSumExp", l.Out[0], l.In[reduceData], top, op.Shape(l.In[reduceData]), to)
	return nil
}

// dx = dy·exp(x-y)
func reduceLogSumExpGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	p := b.Op("Exp", b.Op("Sub", n.In[reduceData], kept(b, n, n.Out[0])))
	return []*ir.Value{b.Op("Mul", kept(b, n, dy[0]), p)}
}
