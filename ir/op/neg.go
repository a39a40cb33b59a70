package op

import "github.com/bbgen/bbgen/ir"

// Neg is -x.
//
// https://onnx.ai/onnx/operators/onnx__Neg.html
var Neg = &Op{
	Name:    "Neg",
	Since:   []int{1, 6, 13},
	Attrs:   []Attr{{Name: "consumed_inputs", Kind: Ints, Until: 6}},
	Inputs:  []Port{{Name: "X", Types: signed}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferSame,
	Grad:    negGrad,
	Lower:   unary("Neg"),
	InPlace: true,
	Widen:   true,

	Pointwise: everyNode,
}

// dx = -dy
func negGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Neg", dy[0])}
}
