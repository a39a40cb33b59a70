package op

import "github.com/bbgen/bbgen/ir"

// Cosh is (eˣ+e⁻ˣ)/2.
//
// https://onnx.ai/onnx/operators/onnx__Cosh.html
var Cosh = &Op{
	Name:    "Cosh",
	Since:   []int{9, 22},
	Inputs:  []Port{{Name: "input", Types: floats}},
	Outputs: []Port{{Name: "output", Like: "input"}},
	Infer:   inferSame,
	Grad:    coshGrad,
	Lower:   unary("Cosh"),
	InPlace: true,
	Widen:   true,
}

// dx = dy·sinh(x)
func coshGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Mul", dy[0], b.Op("Sinh", n.In[0]))}
}
