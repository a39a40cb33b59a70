package activation

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Tanh is the hyperbolic tangent.
//
// https://onnx.ai/onnx/operators/onnx__Tanh.html
var Tanh = &op.Op{
	Name:    "Tanh",
	Since:   []int{1, 6, 13},
	Attrs:   []op.Attr{{Name: "consumed_inputs", Kind: op.Ints, Until: 6}},
	Inputs:  []op.Port{{Name: "input", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   op.InferSame,
	Grad:    tanhGrad,
	Lower:   op.Unary("Tanh"),
	InPlace: true,
	Act:     op.ActsAs("Tanh"),
	Widen:   true,

	Pointwise: op.Always,
}

// dx = dy·(1-y²)
func tanhGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Mul", dy[0], b.Op("Sub", op.ScalarLike(b, n.In[op.X], 1), b.Op("Mul", n.Out[0], n.Out[0])))}
}
