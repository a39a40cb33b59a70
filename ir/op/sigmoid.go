package op

import "github.com/bbgen/bbgen/ir"

// Sigmoid is 1/(1+e⁻ˣ).
//
// https://onnx.ai/onnx/operators/onnx__Sigmoid.html
var Sigmoid = &Op{
	Name:    "Sigmoid",
	Since:   []int{1, 6, 13},
	Attrs:   []Attr{{Name: "consumed_inputs", Kind: Ints, Until: 6}},
	Inputs:  []Port{{Name: "X", Types: floats}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferSame,
	Grad:    sigmoidGrad,
	Lower:   unary("Sigmoid"),
	InPlace: true,
	Act:     plain("Sigmoid"),
	Widen:   true,

	Pointwise: everyNode,
}

// dx = dy·y·(1-y)
func sigmoidGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Mul", dy[0], b.Op("Mul", n.Out[0], b.Op("Sub", scalarLike(b, n.In[0], 1), n.Out[0])))}
}
