package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Atanh is the inverse of tanh, NaN outside -1 to 1.
//
// https://onnx.ai/onnx/operators/onnx__Atanh.html
var Atanh = &op.Op{
	Name:    "Atanh",
	Since:   []int{9, 22},
	Inputs:  []op.Port{{Name: "input", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   op.InferSame,
	Grad:    atanhGrad,
	Lower:   op.Unary("Atanh"),
	InPlace: true,
	Widen:   true,
}

// dx = dy/(1-x²)
func atanhGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Div", dy[0], b.Op("Sub", op.ScalarLike(b, n.In[op.X], 1), b.Op("Mul", n.In[op.X], n.In[op.X])))}
}
