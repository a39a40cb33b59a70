package op

import "github.com/bbgen/bbgen/ir"

// Softmax is exp(x)/Σ exp(x) along an axis.
//
// https://onnx.ai/onnx/operators/onnx__Softmax.html
var Softmax = &Op{
	Name:    "Softmax",
	Since:   []int{1, 11, 13},
	In:      One,
	Out:     One,
	Infer:   inferSoftmax,
	Upgrade: upgradeSoftmax,
	Grad:    softmaxGrad,
	Lower:   lowerSoftmax("Softmax"),
	InPlace: true,
	Widen:   true,
	FLOPs:   perInput(5),
}

// dx = y·(dy - Σ dy·y)
func softmaxGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{own(b, "SoftmaxGrad", n.Attrs, dy[0], n.Out[0])}
}
