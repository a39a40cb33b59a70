package op

import (
	"math"

	"github.com/bbgen/bbgen/ir"
)

// Erf is the error function.
//
// https://onnx.ai/onnx/operators/onnx__Erf.html
var Erf = &Op{
	Name:    "Erf",
	Since:   []int{9, 13},
	Inputs:  []Port{{Name: "input", Types: floats}},
	Outputs: []Port{{Name: "output", Like: "input"}},
	Infer:   inferSame,
	Grad:    erfGrad,
	Lower:   unary("Erf"),
	InPlace: true,
	Widen:   true,

	Pointwise: everyNode,
}

// dx = dy·2/√π·exp(-x²)
func erfGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Mul", b.Op("Mul", dy[0], b.Op("Exp", b.Op("Neg", b.Op("Mul", n.In[0], n.In[0])))), scalarLike(b, n.In[0], 2/math.SqrtPi))}
}
