package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Acosh is the inverse of cosh, NaN below 1.
//
// https://onnx.ai/onnx/operators/onnx__Acosh.html
var Acosh = &op.Op{
	Name:    "Acosh",
	Since:   []int{9, 22},
	Inputs:  []op.Port{{Name: "input", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   op.InferSame,
	Grad:    acoshGrad,
	Lower:   op.Unary("Acosh"),
	InPlace: true,
	Widen:   true,
}

// dx = dy/√(x²-1)
func acoshGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Div", dy[0], b.Op("Sqrt", b.Op("Sub", b.Op("Mul", n.In[op.X], n.In[op.X]), op.ScalarLike(b, n.In[op.X], 1))))}
}
