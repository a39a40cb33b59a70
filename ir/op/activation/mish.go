package activation

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Mish is x·tanh(log(1+eˣ)).
//
// https://onnx.ai/onnx/operators/onnx__Mish.html
var Mish = &op.Op{
	Name:    "Mish",
	Since:   []int{18, 22},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   op.InferSame,
	Grad:    mishGrad,
	Lower:   op.Unary("Mish"),
	InPlace: true,
	Widen:   true,

	Pointwise: op.Always,
}

// dx = dy·(t + x·(1-t²)·sigmoid(x)) for t = tanh(softplus(x))
func mishGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[op.X]
	t := b.Op("Tanh", b.Op("Softplus", x))
	slope := b.Op("Mul", b.Op("Sub", op.ScalarLike(b, x, 1), b.Op("Mul", t, t)), b.Op("Sigmoid", x))
	return []*ir.Value{b.Op("Mul", dy[0], b.Op("Add", t, b.Op("Mul", x, slope)))}
}
