package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Exp is eˣ.
//
// https://onnx.ai/onnx/operators/onnx__Exp.html
var Exp = &op.Op{
	Name:    "Exp",
	Since:   []int{1, 6, 13},
	Attrs:   []op.Attr{{Name: "consumed_inputs", Kind: op.Ints, Until: 6}},
	Inputs:  []op.Port{{Name: "input", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   op.InferSame,
	Grad:    expGrad,
	Lower:   op.Unary("Exp"),
	InPlace: true,
	Widen:   true,

	Pointwise: op.Always,
}

// dx = dy·y
func expGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Mul", dy[0], n.Out[0])}
}
