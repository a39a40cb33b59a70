package activation

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// LogSoftmax is the logarithm of [Softmax].
//
// https://onnx.ai/onnx/operators/onnx__LogSoftmax.html
var LogSoftmax = &op.Op{
	Name:  "LogSoftmax",
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
	Grad:    logSoftmaxGrad,
	Lower:   lowerSoftmax("LogSoftmax"),
	InPlace: true,
	Widen:   true,
	Precise: []int{0},
	FLOPs:   op.PerInput(5),
}

// dx = dy - exp(y)·Σ dy
func logSoftmaxGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	sum := softmaxSum(b, n, dy[0])
	return []*ir.Value{b.Op("Sub", dy[0], b.Op("Mul", b.Op("Exp", n.Out[0]), sum))}
}
