package op

import "github.com/bbgen/bbgen/ir"

// Softmax is exp(x)/Σ exp(x) along an axis.
//
// https://onnx.ai/onnx/operators/onnx__Softmax.html
var Softmax = &Op{
	Name:  "Softmax",
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
