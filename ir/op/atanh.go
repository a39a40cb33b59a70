package op

import "github.com/bbgen/bbgen/ir"

// Atanh is the inverse of tanh, NaN outside -1 to 1.
//
// https://onnx.ai/onnx/operators/onnx__Atanh.html
var Atanh = &Op{
	Name:    "Atanh",
	Since:   []int{9, 22},
	Inputs:  []Port{{Name: "input", Types: floats}},
	Outputs: []Port{{Name: "output", Like: "input"}},
	Infer:   inferSame,
	Grad:    atanhGrad,
	Lower:   unary("Atanh"),
	InPlace: true,
	Widen:   true,
}

// dx = dy/(1-x²)
func atanhGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Div", dy[0], b.Op("Sub", scalarLike(b, n.In[0], 1), b.Op("Mul", n.In[0], n.In[0])))}
}
