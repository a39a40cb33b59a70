package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Asinh is the inverse of sinh.
//
// https://onnx.ai/onnx/operators/onnx__Asinh.html
var Asinh = &op.Op{
	Name:    "Asinh",
	Since:   []int{9, 22},
	Inputs:  []op.Port{{Name: "input", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   op.InferSame,
	Grad:    asinhGrad,
	Lower:   op.Unary("Asinh"),
	InPlace: true,
	Widen:   true,
}

// dx = dy/√(x²+1)
func asinhGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Div", dy[0], b.Op("Sqrt", b.Op("Add", b.Op("Mul", n.In[op.X], n.In[op.X]), op.ScalarLike(b, n.In[op.X], 1))))}
}
