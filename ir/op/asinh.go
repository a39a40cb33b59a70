package op

import "github.com/bbgen/bbgen/ir"

// Asinh is the inverse of sinh.
//
// https://onnx.ai/onnx/operators/onnx__Asinh.html
var Asinh = &Op{
	Name:    "Asinh",
	Since:   []int{9, 22},
	Inputs:  []Port{{Name: "input", Types: floats}},
	Outputs: []Port{{Name: "output", Like: "input"}},
	Infer:   inferSame,
	Grad:    asinhGrad,
	Lower:   unary("Asinh"),
	InPlace: true,
	Widen:   true,
}

// dx = dy/√(x²+1)
func asinhGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Div", dy[0], b.Op("Sqrt", b.Op("Add", b.Op("Mul", n.In[0], n.In[0]), scalarLike(b, n.In[0], 1))))}
}
