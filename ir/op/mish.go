package op

import "github.com/bbgen/bbgen/ir"

// Mish is x·tanh(log(1+eˣ)).
//
// https://onnx.ai/onnx/operators/onnx__Mish.html
var Mish = &Op{
	Name:    "Mish",
	Since:   []int{18, 22},
	Inputs:  []Port{{Name: "X", Types: floats}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferSame,
	Grad:    mishGrad,
	Lower:   unary("Mish"),
	InPlace: true,
	Widen:   true,

	Pointwise: everyNode,
}

// dx = dy·(t + x·(1-t²)·sigmoid(x)) for t = tanh(softplus(x))
func mishGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[0]
	t := b.Op("Tanh", b.Op("Softplus", x))
	slope := b.Op("Mul", b.Op("Sub", scalarLike(b, x, 1), b.Op("Mul", t, t)), b.Op("Sigmoid", x))
	return []*ir.Value{b.Op("Mul", dy[0], b.Op("Add", t, b.Op("Mul", x, slope)))}
}
