package op

import "github.com/bbgen/bbgen/ir"

// Acosh is the inverse of cosh, NaN below 1.
//
// https://onnx.ai/onnx/operators/onnx__Acosh.html
var Acosh = &Op{
	Name:    "Acosh",
	Since:   []int{9, 22},
	Inputs:  []Port{{Name: "input", Types: floats}},
	Outputs: []Port{{Name: "output", Like: "input"}},
	Infer:   inferSame,
	Grad:    acoshGrad,
	Lower:   unary("Acosh"),
	InPlace: true,
	Widen:   true,
}

// dx = dy/√(x²-1)
func acoshGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Div", dy[0], b.Op("Sqrt", b.Op("Sub", b.Op("Mul", n.In[0], n.In[0]), scalarLike(b, n.In[0], 1))))}
}
