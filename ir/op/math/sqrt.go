package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Sqrt is √x, NaN below 0.
//
// https://onnx.ai/onnx/operators/onnx__Sqrt.html
var Sqrt = &op.Op{
	Name:    "Sqrt",
	Since:   []int{1, 6, 13},
	Attrs:   []op.Attr{{Name: "consumed_inputs", Kind: op.Ints, Until: 6}},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   op.InferSame,
	Grad:    sqrtGrad,
	Lower:   op.Unary("Sqrt"),
	InPlace: true,
	Widen:   true,

	Pointwise: op.Always,
}

// dx = dy/2y
func sqrtGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Div", b.Op("Mul", dy[0], op.ScalarLike(b, n.In[op.X], 0.5)), n.Out[0])}
}
