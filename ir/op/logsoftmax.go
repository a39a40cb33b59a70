package op

import "github.com/bbgen/bbgen/ir"

// LogSoftmax is the logarithm of [Softmax].
//
// https://onnx.ai/onnx/operators/onnx__LogSoftmax.html
var LogSoftmax = &Op{
	Name:    "LogSoftmax",
	Since:   []int{1, 11, 13},
	In:      One,
	Out:     One,
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
