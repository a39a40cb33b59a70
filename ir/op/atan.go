package op

import "github.com/bbgen/bbgen/ir"

// Atan is the angle whose tangent is x.
//
// https://onnx.ai/onnx/operators/onnx__Atan.html
var Atan = &Op{
	Name:    "Atan",
	Since:   []int{7, 22},
	Inputs:  []Port{{Name: "input", Types: floats}},
	Outputs: []Port{{Name: "output", Like: "input"}},
	Infer:   inferSame,
	Grad:    atanGrad,
	Lower:   unary("Atan"),
	InPlace: true,
	Widen:   true,
}

// dx = dy/(1+x²)
func atanGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Div", dy[0], b.Op("Add", b.Op("Mul", n.In[0], n.In[0]), scalarLike(b, n.In[0], 1)))}
}
