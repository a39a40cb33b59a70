package op

import "github.com/bbgen/bbgen/ir"

// Asin is the angle whose sine is x, NaN outside -1 to 1.
//
// https://onnx.ai/onnx/operators/onnx__Asin.html
var Asin = &Op{
	Name:    "Asin",
	Since:   []int{7, 22},
	Inputs:  []Port{{Name: "input", Types: floats}},
	Outputs: []Port{{Name: "output", Like: "input"}},
	Infer:   inferSame,
	Grad:    asinGrad,
	Lower:   unary("Asin"),
	InPlace: true,
	Widen:   true,
}

// dx = dy/√(1-x²)
func asinGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Div", dy[0], b.Op("Sqrt", b.Op("Sub", scalarLike(b, n.In[0], 1), b.Op("Mul", n.In[0], n.In[0]))))}
}
