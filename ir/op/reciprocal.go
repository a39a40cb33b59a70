package op

import "github.com/bbgen/bbgen/ir"

// Reciprocal is 1/x.
//
// https://onnx.ai/onnx/operators/onnx__Reciprocal.html
var Reciprocal = &Op{
	Name:    "Reciprocal",
	Since:   []int{1, 6, 13},
	Attrs:   []Attr{{Name: "consumed_inputs", Kind: Ints, Until: 6}},
	Inputs:  []Port{{Name: "X", Types: floats}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferSame,
	Grad:    reciprocalGrad,
	Lower:   unary("Reciprocal"),
	InPlace: true,
	Widen:   true,

	Pointwise: everyNode,
}

// dx = -dy·y²
func reciprocalGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Neg", b.Op("Mul", dy[0], b.Op("Mul", n.Out[0], n.Out[0])))}
}
