package op

import "github.com/bbgen/bbgen/ir"

// Tanh is the hyperbolic tangent.
//
// https://onnx.ai/onnx/operators/onnx__Tanh.html
var Tanh = &Op{
	Name:    "Tanh",
	Since:   []int{1, 6, 13},
	Attrs:   []Attr{{Name: "consumed_inputs", Kind: Ints, Until: 6}},
	Inputs:  []Port{{Name: "input", Types: floats}},
	Outputs: []Port{{Name: "output", Like: "input"}},
	Infer:   inferSame,
	Grad:    tanhGrad,
	Lower:   unary("Tanh"),
	InPlace: true,
	Act:     plain("Tanh"),
	Widen:   true,

	Pointwise: everyNode,
}

// dx = dy·(1-y²)
func tanhGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Mul", dy[0], b.Op("Sub", scalarLike(b, n.In[0], 1), b.Op("Mul", n.Out[0], n.Out[0])))}
}
