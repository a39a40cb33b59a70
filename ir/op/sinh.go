package op

import "github.com/bbgen/bbgen/ir"

// Sinh is (eˣ-e⁻ˣ)/2.
//
// https://onnx.ai/onnx/operators/onnx__Sinh.html
var Sinh = &Op{
	Name:    "Sinh",
	Since:   []int{9, 22},
	Inputs:  []Port{{Name: "input", Types: floats}},
	Outputs: []Port{{Name: "output", Like: "input"}},
	Infer:   inferSame,
	Grad:    sinhGrad,
	Lower:   unary("Sinh"),
	InPlace: true,
	Widen:   true,
}

// dx = dy·cosh(x)
func sinhGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Mul", dy[0], b.Op("Cosh", n.In[0]))}
}
