package op

import "github.com/bbgen/bbgen/ir"

// LogSoftmax is the logarithm of [Softmax].
//
// https://onnx.ai/onnx/operators/onnx__LogSoftmax.html
var LogSoftmax = &Op{
	Name:  "LogSoftmax",
	Since: []int{1, 11, 13},
	Attrs: []Attr{
		{Name: "axis", Kind: Int, Default: 1, Until: 13},
		{Name: "axis", Kind: Int, Default: -1, Since: 13},
		{Name: "flat", Kind: Int, Default: 0, Own: true},
	},
	Inputs:  []Port{{Name: "input", Types: floats}},
	Outputs: []Port{{Name: "output", Like: "input"}},
	Infer:   inferSoftmax,
	Upgrade: upgradeSoftmax,
	Grad:    logSoftmaxGrad,
	Lower:   lowerSoftmax("LogSoftmax"),
	InPlace: true,
	Widen:   true,
	Precise: []int{0},
	FLOPs:   perInput(5),
}

// dx = dy - exp(y)·Σ dy
func logSoftmaxGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	sum := softmaxSum(b, n, dy[0])
	return []*ir.Value{b.Op("Sub", dy[0], b.Op("Mul", b.Op("Exp", n.Out[0]), sum))}
}
