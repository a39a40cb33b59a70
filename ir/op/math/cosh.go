package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Cosh is (eˣ+e⁻ˣ)/2.
//
// https://onnx.ai/onnx/operators/onnx__Cosh.html
var Cosh = &op.Op{
	Name:    "Cosh",
	Since:   []int{9, 22},
	Inputs:  []op.Port{{Name: "input", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   op.InferSame,
	Grad:    coshGrad,
	Lower:   op.Unary("Cosh"),
	InPlace: true,
	Widen:   true,
}

// dx = dy·sinh(x)
func coshGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Mul", dy[0], b.Op("Sinh", n.In[op.X]))}
}
