package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Cos is the cosine of x.
//
// https://onnx.ai/onnx/operators/onnx__Cos.html
var Cos = &op.Op{
	Name:    "Cos",
	Since:   []int{7, 22},
	Inputs:  []op.Port{{Name: "input", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   op.InferSame,
	Grad:    cosGrad,
	Lower:   op.Unary("Cos"),
	InPlace: true,
	Widen:   true,
}

// dx = -dy·sin(x)
func cosGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Neg", b.Op("Mul", dy[0], b.Op("Sin", n.In[op.X])))}
}
