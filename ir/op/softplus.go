package op

import "github.com/bbgen/bbgen/ir"

// Softplus is log(1+eˣ).
//
// https://onnx.ai/onnx/operators/onnx__Softplus.html
var Softplus = &Op{
	Name:    "Softplus",
	Since:   []int{1, 22},
	Inputs:  []Port{{Name: "X", Types: floats}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferSame,
	Grad:    softplusGrad,
	Lower:   unary("Softplus"),
	InPlace: true,
	Widen:   true,

	Pointwise: everyNode,
}

// dx = dy·sigmoid(x)
func softplusGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Mul", dy[0], b.Op("Sigmoid", n.In[0]))}
}
