package math

import (
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Erf is the error function.
//
// https://onnx.ai/onnx/operators/onnx__Erf.html
var Erf = &op.Op{
	Name:    "Erf",
	Since:   []int{9, 13},
	Inputs:  []op.Port{{Name: "input", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   op.InferSame,
	Grad:    erfGrad,
	Lower:   op.Unary("Erf"),
	InPlace: true,
	Widen:   true,

	Pointwise: op.Always,
}

// dx = dy·2/√π·exp(-x²)
func erfGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Mul", b.Op("Mul", dy[0], b.Op("Exp", b.Op("Neg", b.Op("Mul", n.In[op.X], n.In[op.X])))), op.ScalarLike(b, n.In[op.X], 2/math.SqrtPi))}
}
