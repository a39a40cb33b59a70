package op

import "github.com/bbgen/bbgen/ir"

// Tan is the tangent of x.
//
// https://onnx.ai/onnx/operators/onnx__Tan.html
var Tan = &Op{
	Name:    "Tan",
	Since:   []int{7, 22},
	Inputs:  []Port{{Name: "input", Types: floats}},
	Outputs: []Port{{Name: "output", Like: "input"}},
	Infer:   inferSame,
	Grad:    tanGrad,
	Lower:   unary("Tan"),
	InPlace: true,
	Widen:   true,
}

// dx = dy·(1+y²)
func tanGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Mul", dy[0], b.Op("Add", b.Op("Mul", n.Out[0], n.Out[0]), scalarLike(b, n.In[0], 1)))}
}
