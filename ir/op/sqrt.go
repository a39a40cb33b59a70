package op

import "github.com/bbgen/bbgen/ir"

// Sqrt is √x, NaN below 0.
//
// https://onnx.ai/onnx/operators/onnx__Sqrt.html
var Sqrt = &Op{
	Name:    "Sqrt",
	Since:   []int{1, 6, 13},
	Attrs:   []Attr{{Name: "consumed_inputs", Kind: Ints, Until: 6}},
	Inputs:  []Port{{Name: "X", Types: floats}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferSame,
	Grad:    sqrtGrad,
	Lower:   unary("Sqrt"),
	InPlace: true,
	Widen:   true,

	Pointwise: everyNode,
}

// dx = dy/2y
func sqrtGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Div", b.Op("Mul", dy[0], scalarLike(b, n.In[0], 0.5)), n.Out[0])}
}
