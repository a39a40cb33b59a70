package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Neg is -x.
//
// https://onnx.ai/onnx/operators/onnx__Neg.html
var Neg = &op.Op{
	Name:    "Neg",
	Since:   []int{1, 6, 13},
	Attrs:   []op.Attr{{Name: "consumed_inputs", Kind: op.Ints, Until: 6}},
	Inputs:  []op.Port{{Name: "X", Types: elem.Signed}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   op.InferSame,
	Grad:    negGrad,
	Lower:   op.Unary("Neg"),
	InPlace: true,
	Widen:   true,

	Pointwise: op.Always,
}

// dx = -dy
func negGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Neg", dy[0])}
}
