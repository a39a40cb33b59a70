package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Sinh is (eˣ-e⁻ˣ)/2.
//
// https://onnx.ai/onnx/operators/onnx__Sinh.html
var Sinh = &op.Op{
	Name:    "Sinh",
	Since:   []int{9, 22},
	Inputs:  []op.Port{{Name: "input", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   op.InferSame,
	Grad:    sinhGrad,
	Lower:   op.Unary("Sinh"),
	InPlace: true,
	Widen:   true,
}

// dx = dy·cosh(x)
func sinhGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Mul", dy[0], b.Op("Cosh", n.In[op.X]))}
}
