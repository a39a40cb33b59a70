package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Abs is |x|. The smallest integer has no positive counterpart and stays.
//
// https://onnx.ai/onnx/operators/onnx__Abs.html
var Abs = &op.Op{
	Name:    "Abs",
	Since:   []int{1, 6, 13},
	Attrs:   []op.Attr{{Name: "consumed_inputs", Kind: op.Ints, Until: 6}},
	Inputs:  []op.Port{{Name: "X", Types: elem.Numbers}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   op.InferSame,
	Grad:    absGrad,
	Lower:   op.Unary("Abs"),
	InPlace: true,
	Widen:   true,

	Pointwise: op.Always,
}

// dx = dy·sign(x)
func absGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Mul", dy[0], b.Op("Sign", n.In[op.X]))}
}
