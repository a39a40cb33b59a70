package op

import "github.com/bbgen/bbgen/ir"

// Sin is the sine of x.
//
// https://onnx.ai/onnx/operators/onnx__Sin.html
var Sin = &Op{
	Name:    "Sin",
	Since:   []int{7, 22},
	Inputs:  []Port{{Name: "input", Types: floats}},
	Outputs: []Port{{Name: "output", Like: "input"}},
	Infer:   inferSame,
	Grad:    sinGrad,
	Lower:   unary("Sin"),
	InPlace: true,
	Widen:   true,
}

// dx = dy·cos(x)
func sinGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Mul", dy[0], b.Op("Cos", n.In[0]))}
}
