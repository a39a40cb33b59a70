package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Acos is the inverse cosine of x, or NaN outside of -1 to 1.
//
// https://onnx.ai/onnx/operators/onnx__Acos.html
var Acos = &op.Op{
	Name:    "Acos",
	Since:   []int{7, 22},
	Inputs:  []op.Port{{Name: "input", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   op.InferSame,
	Grad:    acosGrad,
	Lower:   op.Unary("Acos"),
	InPlace: true,
	Widen:   true,
}

// dx = -dy/√(1-x²)
func acosGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Neg", b.Op("Div", dy[0], b.Op("Sqrt", b.Op("Sub", op.ScalarLike(b, n.In[op.X], 1), b.Op("Mul", n.In[op.X], n.In[op.X])))))}
}
