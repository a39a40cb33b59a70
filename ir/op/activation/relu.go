package activation

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Relu is max(x, 0).
//
// https://onnx.ai/onnx/operators/onnx__Relu.html
var Relu = &op.Op{
	Name:    "Relu",
	Since:   []int{1, 6, 13, 14},
	Attrs:   []op.Attr{{Name: "consumed_inputs", Kind: op.Ints, Until: 6}},
	Inputs:  []op.Port{{Name: "X", Types: elem.Signed}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   op.InferSame,
	Grad:    reluGrad,
	Lower:   op.Unary("Relu"),
	InPlace: true,
	Act:     op.ActsAs("Relu"),
	Widen:   true,

	Pointwise: op.Always,
}

// dx = dy where y > 0
func reluGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{op.OwnNode(b, "ReluGrad", nil, dy[0], n.Out[0])}
}
