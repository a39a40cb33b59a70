package activation

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Softplus is log(1+eˣ).
//
// https://onnx.ai/onnx/operators/onnx__Softplus.html
var Softplus = &op.Op{
	Name:    "Softplus",
	Since:   []int{1, 22},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   op.InferSame,
	Grad:    softplusGrad,
	Lower:   op.Unary("Softplus"),
	InPlace: true,
	Widen:   true,

	Pointwise: op.Always,
}

// dx = dy·sigmoid(x)
func softplusGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Mul", dy[0], b.Op("Sigmoid", n.In[op.X]))}
}
