package op

import "github.com/bbgen/bbgen/ir"

// Abs is |x|. The smallest integer has no positive counterpart and stays.
//
// https://onnx.ai/onnx/operators/onnx__Abs.html
var Abs = &Op{
	Name:    "Abs",
	Since:   []int{1, 6, 13},
	Attrs:   []Attr{{Name: "consumed_inputs", Kind: Ints, Until: 6}},
	Inputs:  []Port{{Name: "X", Types: numbers}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferSame,
	Grad:    absGrad,
	Lower:   unary("Abs"),
	InPlace: true,
	Widen:   true,

	Pointwise: everyNode,
}

// dx = dy·sign(x)
func absGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Mul", dy[0], b.Op("Sign", n.In[0]))}
}
