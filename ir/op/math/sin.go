package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Sin is the sine of x.
//
// https://onnx.ai/onnx/operators/onnx__Sin.html
var Sin = &op.Op{
	Name:    "Sin",
	Since:   []int{7, 22},
	Inputs:  []op.Port{{Name: "input", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   op.InferSame,
	Grad:    sinGrad,
	Lower:   op.Unary("Sin"),
	InPlace: true,
	Widen:   true,
}

// dx = dy·cos(x)
func sinGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Mul", dy[0], b.Op("Cos", n.In[op.X]))}
}
