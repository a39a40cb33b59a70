package op

import "github.com/bbgen/bbgen/ir"

// Relu is max(x, 0).
//
// https://onnx.ai/onnx/operators/onnx__Relu.html
var Relu = &Op{
	Name:    "Relu",
	Since:   []int{1, 6, 13, 14},
	Attrs:   []Attr{{Name: "consumed_inputs", Kind: Ints, Until: 6}},
	Inputs:  []Port{{Name: "X", Types: signed}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferSame,
	Grad:    reluGrad,
	Lower:   unary("Relu"),
	InPlace: true,
	Act:     plain("Relu"),
	Widen:   true,

	Pointwise: everyNode,
}

// dx = dy where y > 0
func reluGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{own(b, "ReluGrad", nil, dy[0], n.Out[0])}
}
