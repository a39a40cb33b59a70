package activation

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Softmax is exp(x)/Σ exp(x) along an axis.
//
// https://onnx.ai/onnx/operators/onnx__Softmax.html
var Softmax = &op.Op{
	Name:  "Softmax",
	Since: []int{1, 11, 13},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Default: 1, Until: 13},
		{Name: "axis", Kind: op.Int, Default: -1, Since: 13},
		{Name: "flat", Kind: op.Int, Default: 0, Own: true},
	},
	Inputs:  []op.Port{{Name: "input", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   inferSoftmax,
	Upgrade: upgradeSoftmax,
	Grad:    softmaxGrad,
	Lower:   lowerSoftmax("Softmax"),
	InPlace: true,
	Widen:   true,
	FLOPs:   op.PerInput(5),
}

// dx = y·(dy - Σ dy·y)
func softmaxGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{op.OwnNode(b, "SoftmaxGrad", n.Attrs, dy[0], n.Out[0])}
}
