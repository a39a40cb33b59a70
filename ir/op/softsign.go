package op

import "github.com/bbgen/bbgen/ir"

// Softsign is x/(1+|x|).
//
// https://onnx.ai/onnx/operators/onnx__Softsign.html
var Softsign = &Op{
	Name:    "Softsign",
	Since:   []int{1, 22},
	Inputs:  []Port{{Name: "input", Types: floats}},
	Outputs: []Port{{Name: "output", Like: "input"}},
	Infer:   inferSame,
	Grad:    softsignGrad,
	Lower:   unary("Softsign"),
	InPlace: true,
	Widen:   true,

	Pointwise: everyNode,
}

// dx = dy/(1+|x|)²
func softsignGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	d := b.Op("Add", b.Op("Abs", n.In[0]), scalarLike(b, n.In[0], 1))
	return []*ir.Value{b.Op("Div", dy[0], b.Op("Mul", d, d))}
}
