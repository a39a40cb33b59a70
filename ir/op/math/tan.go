package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Tan is the tangent of x.
//
// https://onnx.ai/onnx/operators/onnx__Tan.html
var Tan = &op.Op{
	Name:    "Tan",
	Since:   []int{7, 22},
	Inputs:  []op.Port{{Name: "input", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   op.InferSame,
	Grad:    tanGrad,
	Lower:   op.Unary("Tan"),
	InPlace: true,
	Widen:   true,
}

// dx = dy·(1+y²)
func tanGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Mul", dy[0], b.Op("Add", b.Op("Mul", n.Out[0], n.Out[0]), op.ScalarLike(b, n.In[op.X], 1)))}
}
