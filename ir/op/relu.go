package op

import "github.com/bbgen/bbgen/ir"

// Relu is max(x, 0).
//
// https://onnx.ai/onnx/operators/onnx__Relu.html
var Relu = &Op{
	Name:    "Relu",
	Since:   []int{1, 6, 13, 14},
	In:      One,
	Out:     One,
	Infer:   sameAs(signed),
	Grad:    reluGrad,
	Lower:   unary("Relu"),
	InPlace: true,
	Act:     plain("Relu"),
	Widen:   true,
}

// dx = dy where y > 0
func reluGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{own(b, "ReluGrad", nil, dy[0], n.Out[0])}
}
