package op

import "github.com/bbgen/bbgen/ir"

// Exp is eˣ.
//
// https://onnx.ai/onnx/operators/onnx__Exp.html
var Exp = &Op{
	Name:    "Exp",
	Since:   []int{1, 6, 13},
	In:      One,
	Out:     One,
	Infer:   sameAs(floats),
	Grad:    expGrad,
	Lower:   unary("Exp"),
	InPlace: true,
	Widen:   true,
}

// dx = dy·y
func expGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Mul", dy[0], n.Out[0])}
}
