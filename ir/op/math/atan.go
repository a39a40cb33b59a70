package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Atan is the inverse tangent of x.
//
// https://onnx.ai/onnx/operators/onnx__Atan.html
var Atan = &op.Op{
	Name:    "Atan",
	Since:   []int{7, 22},
	Inputs:  []op.Port{{Name: "input", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   op.InferSame,
	Grad:    atanGrad,
	Lower:   op.Unary("Atan"),
	InPlace: true,
	Widen:   true,
}

// dx = dy/(1+x²)
func atanGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Div", dy[0], b.Op("Add", b.Op("Mul", n.In[op.X], n.In[op.X]), op.ScalarLike(b, n.In[op.X], 1)))}
}
