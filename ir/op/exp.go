package op

import "github.com/bbgen/bbgen/ir"

// Exp is eˣ.
//
// https://onnx.ai/onnx/operators/onnx__Exp.html
var Exp = &Op{
	Name:    "Exp",
	Since:   []int{1, 6, 13},
	Attrs:   []Attr{{Name: "consumed_inputs", Kind: Ints, Until: 6}},
	Inputs:  []Port{{Name: "input", Types: floats}},
	Outputs: []Port{{Name: "output", Like: "input"}},
	Infer:   inferSame,
	Grad:    expGrad,
	Lower:   unary("Exp"),
	InPlace: true,
	Widen:   true,

	Pointwise: everyNode,
}

// dx = dy·y
func expGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Mul", dy[0], n.Out[0])}
}
