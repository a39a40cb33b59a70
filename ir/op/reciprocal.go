package op

import "github.com/bbgen/bbgen/ir"

// Reciprocal is 1/x.
//
// https://onnx.ai/onnx/operators/onnx__Reciprocal.html
var Reciprocal = &Op{
	Name:    "Reciprocal",
	Since:   []int{1, 6, 13},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Grad:    reciprocalGrad,
	Lower:   unary("Reciprocal"),
	InPlace: true,
	Widen:   true,
}

// dx = -dy·y²
func reciprocalGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Neg", b.Op("Mul", dy[0], b.Op("Mul", n.Out[0], n.Out[0])))}
}
