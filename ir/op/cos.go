package op

import "github.com/bbgen/bbgen/ir"

// Cos is the cosine of x.
//
// https://onnx.ai/onnx/operators/onnx__Cos.html
var Cos = &Op{
	Name:    "Cos",
	Since:   []int{7, 22},
	Inputs:  []Port{{Name: "input", Types: floats}},
	Outputs: []Port{{Name: "output", Like: "input"}},
	Infer:   inferSame,
	Grad:    cosGrad,
	Lower:   unary("Cos"),
	InPlace: true,
	Widen:   true,
}

// dx = -dy·sin(x)
func cosGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Neg", b.Op("Mul", dy[0], b.Op("Sin", n.In[0])))}
}
