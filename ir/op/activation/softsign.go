package activation

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Softsign is x/(1+|x|).
//
// https://onnx.ai/onnx/operators/onnx__Softsign.html
var Softsign = &op.Op{
	Name:    "Softsign",
	Since:   []int{1, 22},
	Inputs:  []op.Port{{Name: "input", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   op.InferSame,
	Grad:    softsignGrad,
	Lower:   op.Unary("Softsign"),
	InPlace: true,
	Widen:   true,

	Pointwise: op.Always,
}

// dx = dy/(1+|x|)²
func softsignGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	d := b.Op("Add", b.Op("Abs", n.In[op.X]), op.ScalarLike(b, n.In[op.X], 1))
	return []*ir.Value{b.Op("Div", dy[0], b.Op("Mul", d, d))}
}
