package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Reciprocal is 1/x.
//
// https://onnx.ai/onnx/operators/onnx__Reciprocal.html
var Reciprocal = &op.Op{
	Name:    "Reciprocal",
	Since:   []int{1, 6, 13},
	Attrs:   []op.Attr{{Name: "consumed_inputs", Kind: op.Ints, Until: 6}},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   op.InferSame,
	Grad:    reciprocalGrad,
	Lower:   op.Unary("Reciprocal"),
	InPlace: true,
	Widen:   true,

	Pointwise: op.Always,
}

// dx = -dy·y²
func reciprocalGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Neg", b.Op("Mul", dy[0], b.Op("Mul", n.Out[0], n.Out[0])))}
}
