package op

import "github.com/bbgen/bbgen/ir"

// Acos is the angle whose cosine is x, NaN outside -1 to 1.
//
// https://onnx.ai/onnx/operators/onnx__Acos.html
var Acos = &Op{
	Name:    "Acos",
	Since:   []int{7, 22},
	Inputs:  []Port{{Name: "input", Types: floats}},
	Outputs: []Port{{Name: "output", Like: "input"}},
	Infer:   inferSame,
	Grad:    acosGrad,
	Lower:   unary("Acos"),
	InPlace: true,
	Widen:   true,
}

// dx = -dy/√(1-x²)
func acosGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Neg", b.Op("Div", dy[0], b.Op("Sqrt", b.Op("Sub", scalarLike(b, n.In[0], 1), b.Op("Mul", n.In[0], n.In[0])))))}
}
