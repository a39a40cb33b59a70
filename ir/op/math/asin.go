package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Asin is the inverse sine of x, or NaN outside of -1 to 1.
//
// https://onnx.ai/onnx/operators/onnx__Asin.html
var Asin = &op.Op{
	Name:    "Asin",
	Since:   []int{7, 22},
	Inputs:  []op.Port{{Name: "input", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   op.InferSame,
	Grad:    asinGrad,
	Lower:   op.Unary("Asin"),
	InPlace: true,
	Widen:   true,
}

// dx = dy/√(1-x²)
func asinGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Div", dy[0], b.Op("Sqrt", b.Op("Sub", op.ScalarLike(b, n.In[op.X], 1), b.Op("Mul", n.In[op.X], n.In[op.X]))))}
}
