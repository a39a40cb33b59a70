package activation

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Sigmoid is 1/(1+e⁻ˣ).
//
// https://onnx.ai/onnx/operators/onnx__Sigmoid.html
var Sigmoid = &op.Op{
	Name:    "Sigmoid",
	Since:   []int{1, 6, 13},
	Attrs:   []op.Attr{{Name: "consumed_inputs", Kind: op.Ints, Until: 6}},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   op.InferSame,
	Grad:    sigmoidGrad,
	Lower:   op.Unary("Sigmoid"),
	InPlace: true,
	Act:     op.ActsAs("Sigmoid"),
	Widen:   true,

	Pointwise: op.Always,
}

// dx = dy·y·(1-y)
func sigmoidGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Mul", dy[0], b.Op("Mul", n.Out[0], b.Op("Sub", op.ScalarLike(b, n.In[op.X], 1), n.Out[0])))}
}
